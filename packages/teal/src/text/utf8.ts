const REPLACEMENT = '\uFFFD';
const LONGEST = 4;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 as Go reads it: each byte that belongs to no character becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  const whole = decodedOrUndefined(bytes);
  if (whole !== undefined) return whole;
  let text = '';
  for (let place = 0; place < bytes.length;) {
    const character = characterAt(bytes, place);
    text += character?.text ?? REPLACEMENT;
    place += character?.length ?? 1;
  }
  return text;
}

function characterAt(bytes: Uint8Array, place: number): { text: string; length: number } | undefined {
  for (let length = 1; length <= LONGEST && place + length <= bytes.length; length += 1) {
    const text = decodedOrUndefined(bytes.subarray(place, place + length));
    if (text !== undefined) return { text, length };
  }
  return undefined;
}

function decodedOrUndefined(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
