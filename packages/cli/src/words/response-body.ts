const TEXT = /^(?:text\/|application\/(?:.*[+])?(?:json|xml|javascript|x-www-form-urlencoded|yaml))/i;

/** The text of a body that is text by its content type, or without one by its bytes; undefined for any other. */
export function textOf(response: Response, body: Uint8Array): string | undefined {
  const type = response.headers.get('Content-Type');
  return type === null || TEXT.test(type) ? decoded(body) : undefined;
}

/** A body for a terminal. Anything but text is only described. */
export function bodyText(response: Response, body: Uint8Array): string {
  const text = textOf(response, body);
  if (text !== undefined) return text.replace(/\n$/, '');
  const type = response.headers.get('Content-Type') ?? 'an unknown type';
  return `(${body.length} bytes of ${type}; --output FILE keeps them)`;
}

/** A body inside JSON: its value if it is JSON, its text, or base64 of its bytes. */
export function jsonBody(response: Response, body: Uint8Array): unknown {
  const text = textOf(response, body);
  if (text === undefined) return { base64: Buffer.from(body).toString('base64') };
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
