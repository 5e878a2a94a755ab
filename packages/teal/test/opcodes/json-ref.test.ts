import * as fc from 'fast-check';
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
  ['{"a":1.}', "invalid character ' ' after decimal point in numeric literal"],
  ['{"a":-}', "invalid character ' ' in numeric literal"],
  ['{"a":"\\uzzzz"}', String.raw`invalid character 'z' in \u hexadecimal character escape`],
  ['{"a":"\\u12G4"}', String.raw`invalid character 'G' in \u hexadecimal character escape`],
  ['{"a":1.e5}', "invalid character 'e' after decimal point in numeric literal"],
  ['{"a":-.5}', "invalid character '.' in numeric literal"],
  ['{"a":"x\ny"}', String.raw`invalid character '\n' in string literal`],
  ['{"a":"\\\'"}', String.raw`invalid character '\'' in string escape code`],
  ['{"a":1,"a":null}', 'unexpected end of JSON input'],
])('what the lax reader lets through is refused as Go refuses it: %s', (text, error) => {
  expect(stringAt(text)).toBe(error);
});

test.each(['{', '{"a"', '{"a":', '{"a":1,}', '{"a":1 "b":2}', '{"a":1x}', '{"a":1-2}', '{"a":-.}', '{"a":[1 2]}'])(
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

/** Values that algod's decoder passes over where they are not asked for, and those at which it stops; as go-codec 1.1.10 does. */
const PASSED_OVER = [
  '-',
  '+',
  '+1',
  '01',
  '-01',
  '.5',
  '5.',
  '-.5e-3',
  '1E+5',
  '1e-400',
  '18446744073709551616',
  '9'.repeat(300),

  '"\\uzzzz"',
  '"\\u12G4"',
  '"\\ud83d"',
  '"\\ud83d\\n"',
  '"\\ud83d\\uzzzz"',
  '"\\u123""',
  '"\\ud83d\\u123""',
  '"\\\'"',
];
const REFUSED = [
  '-.',
  '.',
  'e5',
  '1e',
  '1e+',
  '--1',
  '1-',
  '1.2.3',
  '0x1',
  '1_0',
  '1e400',
  '9'.repeat(310),
  'NaN',
  '"\\u12"',
  '"\\u"',
  '"\\ud83d\\u12"',
  '"\\ud83d\\u1"',
  '"\\x41"',
  '"\\u12',
  '"\\',
];

/** The brackets that close what was opened: only of one kind, so that their order does not matter. */
const closing = (open: string): string => open.replaceAll(/[^[{]/g, '').replaceAll('[', ']').replaceAll('{', '}');

test('a member that is not asked for spoils the text only where the decoder stops at it', () => {
  const member = fc.tuple(
    fc.constantFrom('"b"', '"\\ud83d"', '"\\u12G4"'),
    fc.constantFrom('', '[', '{"n":', '[[1,'),
    fc.oneof(
      fc.constantFrom(...PASSED_OVER).map((value) => ({ value, outcome: 'found' })),
      fc.constantFrom(...REFUSED).map((value) => ({ value, outcome: INVALID })),
    ),
    fc.boolean(),
  );
  fc.assert(
    fc.property(member, ([name, open, { value, outcome }, isFirst]) => {
      const odd = `${name}:${open}${value}${closing(open)}`;
      expect(stringAt(isFirst ? `{${odd},"a":"found"}` : `{"a":"found",${odd}}`)).toBe(outcome);
    }),
    { numRuns: 400 },
  );
});

test('surrogates in a name become one U+FFFD, paired or not', () => {
  expect(stringAt('{"\\ud83d\\ude00":"pair"}', '\ufffd')).toBe('pair');
  expect(stringAt('{"\\ud83d\\ude00":"pair"}', '\u{1f600}')).toBe('key \u{1f600} not found in JSON text');
  expect(stringAt('{"\\uzzzz":"1","\\ud83d":"2"}')).toBe(`${INVALID}, duplicate keys not allowed`);
});
