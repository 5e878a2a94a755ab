import { decodeRaw } from './raw-msgpack.ts';

const CONTEXT = 160;

/** The first line in which two texts differ, with the place inside it. */
export function firstDifference(expected: string, found: string): string {
  const expectedLines = lines(expected);
  const foundLines = lines(found);
  const index = expectedLines.findIndex((line, at) => line !== foundLines[at]);
  const at = index === -1 ? expectedLines.length : index;
  const [recorded, ours] = [expectedLines[at] ?? '(end)', foundLines[at] ?? '(end)'];
  const from = Math.max(0, commonLength(recorded, ours) - CONTEXT / 2);
  const cut = (line: string): string => (from > 0 ? '…' : '') + line.slice(from, from + CONTEXT);
  return `line ${at + 1}:\n  recorded ${cut(recorded)}\n  ours     ${cut(ours)}`;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** One member of a compact JSON object a line, so that the differing member is named. */
function lines(text: string): string[] {
  return text.includes('\n  ') ? text.split('\n') : text.replaceAll(/,"/g, ',\n"').split('\n');
}

/** Decoded msgpack, one member a line; undecodable bytes as hex. */
export function msgpackAsText(bytes: Buffer): string {
  try {
    return print(decodeRaw(bytes), '');
  } catch (error) {
    return `not msgpack (${String(error)}): ${bytes.toString('hex')}`;
  }
}

function print(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (value instanceof Map) {
    return `{\n${[...value].map(([key, member]) => `${deeper}${String(key)}: ${print(member, deeper)}`).join('\n')}\n${indent}}`;
  }
  if (Array.isArray(value)) return `[\n${value.map((member) => deeper + print(member, deeper)).join('\n')}\n${indent}]`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
