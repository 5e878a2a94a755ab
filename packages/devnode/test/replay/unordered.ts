// Sorts the arrays that algod writes in the random order of a Go map, so that two answers can be compared.
import { decodeRaw, encodeRaw } from './raw-msgpack.ts';

/** Names of the arrays; in `unnamed-resources-accessed`, all arrays. */
const UNORDERED: ReadonlySet<string> = new Set([
  'global-state',
  'key-value',
  'global-state-delta',
  'local-state-delta',
  'delta',
  'kvs',
  'app-locals',
  'app-initial-states',
  'boxes',
]);
const ALL_WITHIN = 'unnamed-resources-accessed';
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+/g;

/** A JSON text in compact form with those arrays sorted. Numbers become texts, because some exceed 2^53. */
export function sortedJson(text: string): string {
  const exact = text.replaceAll(TEXT_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"#${token}"`));
  return JSON.stringify(sorted(JSON.parse(exact), { name: '', within: false }));
}

/** msgpack with those arrays sorted. */
export function sortedMsgpack(body: Buffer): Buffer {
  return encodeRaw(sorted(decodeRaw(body), { name: '', within: false }));
}

interface Place {
  readonly name: string;
  /** Whether it is inside an object of which all arrays are unordered. */
  readonly within: boolean;
}

function sorted(value: unknown, { name, within }: Place): unknown {
  if (Array.isArray(value)) {
    const items = value.map((each) => sorted(each, { name: '', within }));
    return within || UNORDERED.has(name) ? items.sort((a, b) => (printed(a) < printed(b) ? -1 : 1)) : items;
  }
  const inside = (key: unknown): Place => ({ name: String(key), within: within || key === ALL_WITHIN });
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, sorted(member, inside(key))]));
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sorted(member, inside(key))]));
}

function printed(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return `#${member}`;
    return member instanceof Map ? [...member] : member;
  });
}
