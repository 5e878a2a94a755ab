import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerReader, decodeMsgpackAnswer } from '../src/answer-reader.ts';
import { encodeMsgpack, type MsgpackInput } from '../src/msgpack.ts';
import { codeOf } from './keys.ts';

const read = (json: string): AnswerReader => AnswerReader.fromJson('/route', new TextEncoder().encode(json));

/** Texts of all kinds, also such as look like numbers of an answer. */
const anyText = fc.oneof(fc.string(), fc.stringMatching(/^[:,[ ]*-?[0-9]{0,20}[.eE]?[0-9]*$/), fc.bigInt().map(String));

describe('an answer in JSON', () => {
  test('gives integers and texts as they are written, whatever stands beside them', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), anyText, fc.boolean(), (integer, text, isSpaced) => {
        const space = isSpaced ? '\n ' : '';
        const answer = read(
          `{"text":${JSON.stringify(text)},"integer":${space}${integer},"list":[${space}${integer}]}`,
        );
        expect(answer.integer('integer')).toBe(integer);
        expect(answer.optionalIntegers('list')).toEqual([integer]);
        expect(answer.text('text')).toBe(text);
      }),
    );
  });

  test.each(['-0', '-1', '1.0', '1e3', '1E3', '0.5', '18446744073709551616', '1e400', '9007199254740993.0'])(
    'has no integer in %s, alone or in a list, beside others of any size',
    (number) => {
      for (const beside of ['0', '18446744073709551615', '" "']) {
        const answer = read(`{"beside":${beside},"integer": ${number},"list":[${number}]}`);
        expect(codeOf(() => answer.integer('integer'))).toBe('algod_bad_answer');
        expect(codeOf(() => read(`[${number}]`).integer('0'))).toBe('algod_bad_answer');
        if (number !== '18446744073709551616') {
          expect(codeOf(() => answer.optionalIntegers('list'))).toBe('algod_bad_answer');
        }
      }
    },
  );

  test('has no member that only every object has', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(read('{}').optionalText(name)).toBeUndefined();
    }
  });
});

test('a block in msgpack is read with the deepest inner transaction that the chain takes', () => {
  // Eight calls, one in the other, and an asset's configuration in the last of them.
  let member: MsgpackInput = { txn: { apar: { t: 1n } } };
  for (let level = 0; level < 9; level++) member = { dt: { itx: [member] } };
  const block = encodeMsgpack({ block: { txns: [member] }, cert: {} });
  expect([...decodeMsgpackAnswer('/v2/blocks/1', block).keys()]).toEqual(['block', 'cert']);
});
