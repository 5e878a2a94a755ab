// The normalisation that the recordings' README lists, applied to both sides, and nothing more.
import { decodeRaw, encodeRaw } from './raw-msgpack.ts';

/** Rules 1 to 4, on a text. */
export function normaliseText(text: string): string {
  return text
    .replaceAll(/"time-since-last-round":( ?)\d+/g, '"time-since-last-round":$10')
    .replaceAll(/transaction \{.*?\} invalid : /gs, 'transaction {} invalid : ')
    .replaceAll(/, data \{.*?\}, (tried to spend|was going to receive)/gs, ', data {}, $1')
    .replaceAll(/"build":\{.*?\}/gs, '"build":{}');
}

/** Rules 2 and 3 inside a msgpack body; a body without such a text keeps its bytes. */
export function normaliseMsgpack(body: Buffer): Buffer {
  const text = body.toString('latin1');
  if (normaliseText(text) === text) return body;
  const value = decodeRaw(body);
  // Only the texts may change: whatever else the encoder would write otherwise stays a difference.
  if (!encodeRaw(value).equals(body)) return body;
  return encodeRaw(mapStrings(value));
}

function mapStrings(value: unknown): unknown {
  if (typeof value === 'string') return normaliseText(value);
  if (Array.isArray(value)) return value.map(mapStrings);
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, mapStrings(member)]));
  return value;
}

/** Content types are compared without case and spaces. */
export function normaliseContentType(contentType: string | null): string | null {
  return contentType?.toLowerCase().replaceAll(' ', '') ?? null;
}
