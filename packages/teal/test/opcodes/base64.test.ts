import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runOperation } from './operation.ts';

const ALPHABETS = ['base64url', 'base64'] as const;
const lineEnds = fc.string({ unit: fc.constantFrom('\r', '\n'), maxLength: 3 });
const encoding = fc.constantFrom(0, 1);

/** The bytes in hex, or why there are none. */
function decoded(text: string, alphabet: number): string {
  const outcome = runOperation('base64_decode', alphabet, [Uint8Array.from(Buffer.from(text, 'latin1'))]);
  return 'error' in outcome ? outcome.error : Buffer.from(outcome.out[0] as Uint8Array).toString('hex');
}

const withLineEnds = (parts: readonly (readonly [string, string])[]): string => parts.flat().join('');

test('base64 with or without its padding is read whatever line ends stand in it and behind it', () => {
  const text = fc
    .tuple(fc.uint8Array({ maxLength: 7 }), encoding, fc.boolean())
    .chain(([bytes, alphabet, isPadded]) => {
      const bare = Buffer.from(bytes).toString(ALPHABETS[alphabet]).replace(/=+$/, '');
      const whole = isPadded ? bare.padEnd(4 * Math.ceil(bare.length / 4), '=') : bare;
      return fc.tuple(
        fc.constant(bytes),
        fc.constant(alphabet),
        fc.tuple(...Array.from(whole, (each) => lineEnds.map((ends) => [each, ends] as const))),
      );
    });
  fc.assert(
    fc.property(text, ([bytes, alphabet, parts]) => {
      expect(decoded(withLineEnds(parts), alphabet)).toBe(Buffer.from(bytes).toString('hex'));
    }),
  );
});

// What Go's encoding/base64 answers, strict, with padding where the last character before the line ends is one.
test.each([
  ['YQ==\n', '61'],
  ['YQ==\r\n\r\n', '61'],
  ['YQ=\n=\n', '61'],
  ['\rYWI=\r', '6162'],
  ['YQ=\n', 'illegal base64 data at input byte 4'],
  ['YQ=\r\n', 'illegal base64 data at input byte 5'],
  ['YQ===\n', 'illegal base64 data at input byte 4'],
  ['YQ==A=\r\n', 'illegal base64 data at input byte 4'],
  ['YR==\n', 'illegal base64 data at input byte 3'],
  ['Y\n\nWJj===\r\n', 'illegal base64 data at input byte 6'],
  ['=\n', 'illegal base64 data at input byte 0'],
  ['\n=', 'illegal base64 data at input byte 1'],
  ['YQ\n', '61'],
  ['\r\n', ''],
])('%j is %s', (text, outcome) => {
  expect(decoded(text, 1)).toBe(outcome);
});
