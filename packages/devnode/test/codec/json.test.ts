import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { JsonSource } from '../../src/codec/json-source.ts';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { assetParams } from '../../src/codec/schema/transaction.ts';
import { simulateRequest } from '../../src/codec/schema/simulate.ts';
import { EndOfInput } from '../../src/codec/source.ts';
import { quoteText } from '../../src/codec/text.ts';
import { DevnodeError } from '../../src/errors.ts';
import { sdkBytes, sdkTransaction } from './sdk-transaction.ts';

function readJson(text: string): SignedTransaction {
  return signedTransaction.read(new JsonSource(Buffer.from(text)), signedTransaction.zero);
}

describe('JSON of algod\u2019s codec', () => {
  test('says all that msgpack says: what was written is read as the same', () => {
    fc.assert(
      fc.property(sdkTransaction, (transaction) => {
        const [signed = signedTransaction.zero] = decodeGroup(sdkBytes(transaction), { maxSize: 16, cut: false });
        const text = signedTransaction.json(signed, '');
        expect(readJson(text)).toEqual(signed);
        expect(() => JSON.parse(text)).not.toThrow();
      }),
    );
  });

  test('of any text is a value or a refusal, never a crash', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '"txn-groups"',
      '"txns"',
      '"round"',
      '"sig"',
      '1',
      '-',
      '.',
      'e9',
      'null',
      'true',
      '"AA=="',
      ' ',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 30 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          simulateRequest.read(new JsonSource(Buffer.from(given)), simulateRequest.zero);
        } catch (error) {
          expect(error instanceof EndOfInput || (error instanceof DevnodeError && error.status === 400)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['1500', 1500n],
    ['"1500"', 1500n],
    ['1500.0', 1500n],
    ['15e2', 1500n],
    ['1.5e3', 1500n],
    ['150000e-2', 1500n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['null', 0n],
  ])('takes %s for an amount', (written, value) => {
    expect(readJson(`{"txn":{"amt":${written}}}`).transaction.amount).toBe(value);
  });

  test.each([
    ['1.5', 'fractional part found parsing integer: 1.5'],
    ['-1', 'minus found parsing unsigned integer: -1'],
    ['18446744073709551616', 'overflow parsing unsigned integer: 18446744073709551616'],
    ['1e60', 'overflow parsing integer: 1e60'],
    ['"five"', 'invalid syntax for integer: five'],
  ])('refuses %s for an amount', (written, problem) => {
    expect(() => readJson(`{"txn":{"amt":${written}}}`)).toThrow(problem);
  });

  test('takes a number of 64 bits for the key of a map, and refuses a larger one', () => {
    const withReveal = (key: string): string => `{"txn":{"sp":{"r":{"${key}":{}}}}}`;
    const read = readJson(withReveal('18446744073709551615'));
    expect([...read.transaction.stateProof.reveals.keys()]).toEqual([2n ** 64n - 1n]);
    expect(() => readJson(withReveal('18446744073709551616'))).toThrow(
      'overflow parsing unsigned integer: 18446744073709551616',
    );
  });

  test.each([
    ['', ''],
    ['QUI=', 'AB'],
    ['QQ==', 'A'],
    [String.raw`QU\nI=`, 'AB'],
  ])('reads base64 %j', (encoded, note) => {
    expect(Buffer.from(readJson(`{"txn":{"note":"${encoded}"}}`).transaction.note).toString()).toBe(note);
  });

  test.each([
    ['QUI', 0],
    ['QUI-', 3],
    ['QQ=', 3],
    ['QQ=A', 2],
    ['Q===', 1],
    ['====', 0],
    ['QUJD====', 4],
  ])('says where base64 %j goes wrong', (encoded, at) => {
    expect(() => readJson(`{"txn":{"note":"${encoded}"}}`)).toThrow(`illegal base64 data at input byte ${at}`);
  });

  test('does not escape HTML, and escapes what is not UTF-8', () => {
    expect(quoteText('<a href="x">&</a>\n')).toBe('"<a href=\\"x\\">&</a>\\n"');
    expect(assetParams.json(assetParams.of({ name: Buffer.from([0x41, 0xff]) }), '')).toBe('{\n  "an": "A\\ufffd"\n}');
  });
});

test('a text whose bytes are not UTF-8 is written with U+FFFD for each byte that is part of no character', () => {
  const json = assetParams.json(assetParams.of({ name: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe2, 0x82, 0x62) }), '');
  expect(json).toContain(`"an": "\ufeffa${String.raw`\ufffd\ufffd`}b"`);
});
