import { expect, test } from 'vitest';
import { runOperation } from './operation.ts';

const INVALID = 'error while parsing JSON text, invalid json text';
const encode = (text: string) => new TextEncoder().encode(text);

/** The value at "a": a string's, or how it failed. */
function stringAt(text: string | Uint8Array, key = 'a'): string {
  const outcome = runOperation('json_ref', 0, [typeof text === 'string' ? encode(text) : text, encode(key)]);
  return 'error' in outcome ? outcome.error : Buffer.from(outcome.out[0] as Uint8Array).toString('utf8');
}

test.each([
  ['{"a":[1,02]}', "invalid character '2' after array element"],
  ['{"a":{1:2}}', "invalid character '1' looking for beginning of object key string"],
  ['{"a":{{}:1}}', "invalid character '{' looking for beginning of object key string"],
  ['{"a":+1}', "invalid character '+' looking for beginning of value"],
  ['{"a":1.}', 'unexpected end of JSON input'],
  ['{"a":1.e5}', "invalid character 'e' after decimal point in numeric literal"],
  ['{"a":-.5}', "invalid character '.' in numeric literal"],
  ['{"a":"x\ny"}', String.raw`invalid character '\n' in string literal`],
  ['{"a":"\\\'"}', String.raw`invalid character '\'' in string escape code`],
  ['{"a":1,"a":null}', 'unexpected end of JSON input'],
])('what the lax reader lets through is refused as Go refuses it: %s', (text, error) => {
  expect(stringAt(text)).toBe(error);
});

test.each(['{', '{"a"', '{"a":', '{"a":1,}', '{"a":1 "b":2}', '{"a":1x}', '{"a":1-2}', '{"a":-}', '{"a":[1 2]}'])(
  'broken JSON is refused: %s',
  (text) => {
    expect(stringAt(text)).toBe(INVALID);
  },
);

test('a surrogate that stands alone, and each byte that is no UTF-8, becomes U+FFFD', () => {
  expect(stringAt('{"a":"\\ud83d\\ude00 \\ud83dx"}')).toBe('\u{1f600} \ufffdx');
  const broken = Uint8Array.from([...encode('{"a":"'), 0xf0, 0x9f, 0x98, 0x41, 0xff, ...encode('"}')]);
  expect(stringAt(broken)).toBe('\ufffd\ufffd\ufffdA\ufffd');
  const missing = runOperation('json_ref', 0, [encode('{}'), Uint8Array.of(0xe2, 0x82)]);
  expect(missing).toEqual({ error: 'key \ufffd\ufffd not found in JSON text' });
});

test('a key is compared without its escapes', () => {
  expect(stringAt('{"\\u0061":"found"}')).toBe('found');
});

test.each(['[', '{"a":'])('values of any depth are read: %s', (open) => {
  const count = Math.floor(4000 / (open.length + 1));
  const close = open === '[' ? ']' : '}';
  expect(stringAt(`{"a":${open.repeat(count)}1${close.repeat(count)}}`)).toMatch(
    /^json: cannot unmarshal (array|object)/,
  );
  expect(stringAt(`{"a":${open.repeat(count)}`)).toBe(INVALID);
});
