import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { groupMember, idText } from '../../src/transaction/member.ts';
import { decodeOutcome } from './decode-outcome.ts';
import { sdkBytes, sdkTransaction } from './sdk-transaction.ts';

const LIMITS = { maxSize: 16, cut: false };

describe('a group of signed transactions', () => {
  test('as the official SDK encodes them is read whole: the same bytes again, and the same id', () => {
    fc.assert(
      fc.property(sdkTransaction, (transaction) => {
        const encoded = sdkBytes(transaction);
        const [signed = signedTransaction.zero] = decodeGroup(encoded, LIMITS);
        expect(Buffer.from(encode(signedTransaction, signed))).toEqual(Buffer.from(encoded));
        expect(idText(groupMember(signed).txId)).toBe(transaction.txID());
      }),
    );
  });

  test('that was read and written again is read as the same', () => {
    fc.assert(
      fc.property(sdkTransaction, (transaction) => {
        const [first = signedTransaction.zero] = decodeGroup(sdkBytes(transaction), LIMITS);
        expect(decodeGroup(encode(signedTransaction, first), LIMITS)).toEqual([first]);
      }),
    );
  });

  test('of any bytes is a value or a refusal, never a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(decodeOutcome(bytes)).toBeTypeOf('string');
      }),
    );
  });

  test('with bytes changed and the end cut off is a value or a refusal, never a crash', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(sdkTransaction, changes, fc.nat(), (transaction, changed, cut) => {
        const bytes = Uint8Array.from(sdkBytes(transaction));
        for (const [at, value] of changed) bytes[at % bytes.length] = value;
        expect(decodeOutcome(bytes.subarray(0, cut % (bytes.length + 1)))).toBeTypeOf('string');
      }),
    );
  });

  test('that claims billions of entries is refused before memory is taken for them', () => {
    const claim = (head: string): Uint8Array =>
      Buffer.from(`81a374786e82a4747970 65a3706179${head}ffffffff`.replaceAll(' ', ''), 'hex');
    expect(decodeOutcome(claim('a46e6f7465c6'))).toBe('empty txgroup');
    expect(decodeOutcome(claim('a461706161dd'))).toBe('empty txgroup');
  });

  test('that repeats the key of a large map again and again is read in time that grows with its size', () => {
    const times = 20_000;
    const writer = new MsgpackWriter()
      .mapHeader(1)
      .text('txn')
      .mapHeader(1)
      .text('sp')
      .mapHeader(times + 1);
    writer.text('r').mapHeader(times);
    for (let key = 0; key < times; key++) writer.integer(key).mapHeader(0);
    for (let time = 0; time < times; time++) writer.text('r').mapHeader(0);
    const started = performance.now();
    const [signed] = decodeGroup(writer.toBytes(), LIMITS);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(signed?.transaction.stateProof.reveals.size).toBe(times);
  });

  test('with more entries than any group can need is refused before they take more memory than its bytes', () => {
    const accounts = 9_900_000;
    const head = new MsgpackWriter().mapHeader(1).text('txn').mapHeader(1).text('apat').arrayHeader(accounts);
    const bytes = Buffer.concat([head.toBytes(), Buffer.alloc(accounts, 0xa0)]);
    const before = process.memoryUsage();
    const outcome = decodeOutcome(bytes);
    const after = process.memoryUsage();
    expect(outcome).toMatch(/^msgpack decode error .* more than 100000 entries in lists and maps/);
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(50_000_000);
  });

  test('with as many entries as the largest that algod takes, sixteen multisigs of 255 keys, is read', () => {
    const member = signedTransaction.of({
      multisig: {
        version: 1,
        threshold: 255,
        subsignatures: Array.from({ length: 255 }, () => ({
          publicKey: new Uint8Array(32).fill(1),
          signature: new Uint8Array(64).fill(1),
        })),
      },
    });
    const bytes = Buffer.concat(Array.from({ length: 16 }, () => encode(signedTransaction, member)));
    expect(decodeGroup(bytes, LIMITS)).toHaveLength(16);
  });
});
