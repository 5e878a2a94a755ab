import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../src/address.ts';
import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from '../src/msgpack.ts';
import {
  type AssetTransferTransaction,
  decodeTransaction,
  encodeTransaction,
  type PaymentTransaction,
  type Transaction,
  transactionId,
  transactionSigningBytes,
} from '../src/transaction.ts';
import { arbitraryTransaction } from './arbitrary-transaction.ts';
import { ACCOUNT_1, ACCOUNT_2, bytesOfBase64, codeOf, errorOf, hexOf } from './keys.ts';
import { sdkTransaction } from './sdk-transaction.ts';

const WINDOW = {
  firstValid: 10n,
  lastValid: 1010n,
  genesisId: 'testnet-v1.0',
  genesisHash: bytesOfBase64('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI='),
};

const PAYMENT: PaymentTransaction = {
  type: 'pay',
  sender: ACCOUNT_1.address,
  receiver: ACCOUNT_2.address,
  amount: 12345n,
  fee: 1000n,
  note: Uint8Array.of(1, 2, 3),
  ...WINDOW,
};

const ASSET_TRANSFER: AssetTransferTransaction = {
  type: 'axfer',
  sender: ACCOUNT_2.address,
  receiver: ACCOUNT_1.address,
  assetId: 1001n,
  amount: 7n,
  fee: 0n,
  ...WINDOW,
};

/** The payment's bytes with something changed in the decoded map. */
function payment(change: (map: Map<string, MsgpackValue>) => void): Uint8Array {
  const map = decodeMsgpack(encodeTransaction(PAYMENT)) as Map<string, MsgpackValue>;
  change(map);
  return encodeMsgpack(map);
}

describe('published vectors of algod', () => {
  test('a payment has its TxID', () => {
    expect(transactionId(PAYMENT)).toBe('ZLBQAGMCPADMM7XJIKYPAU3WXTAX7J3KLLNSWVU4SM6AMLT47XLQ');
  });

  test('an asset transfer has its TxID', () => {
    expect(transactionId(ASSET_TRANSFER)).toBe('LHXR4DRFRAKQOSGTXX3VKI52CYWCELQ7X643TENI5BHVRLPYXR7Q');
  });

  test('key 1 signs the payment as algod expects it', () => {
    expect(hexOf(ACCOUNT_1.sign(transactionSigningBytes(PAYMENT)))).toBe(
      '194432e325c1ef63fb3904920a60b6c38f5fb6ca379e82ca0489af458261615b' +
        '5d4802d3d15cc7dc6c07c0eb0953b7b4e4d86f93b1dad14567482b87af3c2000',
    );
  });
});

describe('compared with algosdk', () => {
  test('every transaction has the same bytes and the same TxID', () => {
    fc.assert(
      fc.property(arbitraryTransaction, (transaction) => {
        const sdk = sdkTransaction(transaction);
        expect(hexOf(encodeTransaction(transaction))).toBe(hexOf(sdk.toByte()));
        expect(transactionId(transaction)).toBe(sdk.txID());
      }),
      { numRuns: 300 },
    );
  });
});

describe('decodeTransaction', () => {
  test('returns what was encoded', () => {
    fc.assert(
      fc.property(arbitraryTransaction, (transaction) => {
        expect(decodeTransaction(encodeTransaction(transaction))).toEqual(transaction);
      }),
      { numRuns: 300 },
    );
  });

  test('accepts bytes only if encoding the result gives them again', () => {
    const mutated = fc.tuple(arbitraryTransaction, fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(mutated, ([transaction, position, byte]) => {
        const bytes = encodeTransaction(transaction);
        bytes[position % bytes.length] = byte;
        let decoded: Transaction;
        try {
          decoded = decodeTransaction(bytes);
        } catch (error) {
          expect(error).toHaveProperty('name', 'AlgorandError');
          return;
        }
        expect(hexOf(encodeTransaction(decoded))).toBe(hexOf(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('never throws anything but an AlgorandError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => decodeTransaction(bytes)).toThrowError(expect.objectContaining({ name: 'AlgorandError' }));
      }),
    );
  });

  test('gives absent values their zero', () => {
    const empty: PaymentTransaction = {
      type: 'pay',
      sender: ZERO_ADDRESS,
      receiver: ZERO_ADDRESS,
      amount: 0n,
      fee: 0n,
      firstValid: 0n,
      lastValid: 0n,
      genesisHash: new Uint8Array(32),
    };
    expect(hexOf(encodeTransaction(empty))).toBe('81a474797065a3706179');
    expect(decodeTransaction(encodeTransaction(empty))).toEqual(empty);
  });

  test('does not share the zero genesis hash between transactions', () => {
    const bytes = payment((map) => map.delete('gh'));
    decodeTransaction(bytes).genesisHash.fill(1);
    expect(decodeTransaction(bytes).genesisHash).toEqual(new Uint8Array(32));
  });

  test('refuses an unknown field and names it', () => {
    const error = errorOf(() => decodeTransaction(payment((map) => map.set('surprise', 1n))));
    expect(error).toMatchObject({ code: 'unknown_field', field: 'surprise' });
    expect(error.message).toContain('"surprise"');
  });

  test('refuses a field that belongs to another type', () => {
    const error = errorOf(() => decodeTransaction(payment((map) => map.set('xaid', 1n))));
    expect(error).toMatchObject({ code: 'unknown_field', field: 'xaid' });
  });

  test('refuses an unknown asset parameter', () => {
    const bytes = encodeMsgpack({ type: 'acfg', apar: { zz: 1n } });
    expect(errorOf(() => decodeTransaction(bytes))).toMatchObject({ code: 'unknown_field', field: 'zz' });
  });

  test.each([
    ['an explicit zero', payment((map) => map.set('amt', 0n))],
    ['an explicit zero address', payment((map) => map.set('close', new Uint8Array(32)))],
    ['an empty note', payment((map) => map.set('note', new Uint8Array()))],
    ['an explicit false', encodeMsgpack({ type: 'afrz', afrz: false })],
    ['empty asset parameters', encodeMsgpack({ type: 'acfg', apar: {} })],
    [
      'keys out of order',
      Uint8Array.of(0x82, ...encodeMsgpack('type'), ...encodeMsgpack('pay'), ...encodeMsgpack('fee'), 1),
    ],
    [
      'an integer longer than needed',
      Uint8Array.of(0x82, ...encodeMsgpack('fee'), 0xcd, 0, 1, ...encodeMsgpack('type'), ...encodeMsgpack('pay')),
    ],
  ])('refuses %s as not canonical', (_, bytes) => {
    expect(codeOf(() => decodeTransaction(bytes))).toBe('not_canonical');
  });

  test.each([
    ['text where an amount belongs', payment((map) => map.set('amt', 'much')), 'amt'],
    ['a negative amount', payment((map) => map.set('amt', -1n)), 'amt'],
    ['an address of 31 bytes', payment((map) => map.set('rcv', new Uint8Array(31).fill(1))), 'rcv'],
    ['a lease of 33 bytes', payment((map) => map.set('lx', new Uint8Array(33).fill(1))), 'lx'],
    ['a note of text', payment((map) => map.set('note', 'hello')), 'note'],
  ])('refuses %s', (_, bytes, field) => {
    expect(errorOf(() => decodeTransaction(bytes))).toMatchObject({ code: 'invalid_transaction', field });
  });

  test.each(['appl', 'stpf', 'hb', 'toString', ''])('refuses type %j, which it can’t judge', (type) => {
    expect(codeOf(() => decodeTransaction(payment((map) => map.set('type', type))))).toBe(
      'unsupported_transaction_type',
    );
  });

  test('refuses what is no map, has no type, or goes on after its end', () => {
    expect(codeOf(() => decodeTransaction(encodeMsgpack([1])))).toBe('invalid_transaction');
    expect(codeOf(() => decodeTransaction(payment((map) => map.delete('type'))))).toBe('invalid_transaction');
    expect(codeOf(() => decodeTransaction(Uint8Array.of(...encodeTransaction(PAYMENT), 0)))).toBe('invalid_msgpack');
    expect(codeOf(() => decodeTransaction(new Uint8Array()))).toBe('invalid_msgpack');
  });

  test('takes a Buffer and returns bytes of its own', () => {
    const buffer = Buffer.from(encodeTransaction(PAYMENT));
    const { note } = decodeTransaction(buffer);
    buffer.fill(0);
    expect(note).toEqual(Uint8Array.of(1, 2, 3));
  });
});

describe('encodeTransaction', () => {
  test.each([
    ['a fraction of a bigint', { fee: 1 }, 'fee'],
    ['a negative amount', { amount: -1n }, 'amount'],
    ['an amount beyond 64 bits', { amount: 2n ** 64n }, 'amount'],
    ['a mistyped address', { receiver: `${ACCOUNT_1.address.slice(0, 57)}A` }, 'receiver'],
    ['an address that is none', { sender: 'alice' }, 'sender'],
    ['a short genesis hash', { genesisHash: new Uint8Array(31) }, 'genesisHash'],
    ['a long lease', { lease: new Uint8Array(33) }, 'lease'],
    ['a note of text', { note: 'hello' }, 'note'],
  ])('refuses %s and names the property', (_, change, field) => {
    const wrong = { ...PAYMENT, ...change } as unknown as Transaction;
    expect(errorOf(() => encodeTransaction(wrong))).toMatchObject({ code: 'invalid_transaction', field });
  });

  test('refuses wrong asset parameters and names the property', () => {
    const wrong: Transaction = {
      ...WINDOW,
      type: 'acfg',
      sender: ACCOUNT_1.address,
      fee: 0n,
      assetId: 0n,
      parameters: { decimals: 1.5 },
    };
    const error = errorOf(() => encodeTransaction(wrong));
    expect(error).toMatchObject({ code: 'invalid_transaction', field: 'parameters' });
    expect(error.message).toContain('decimals');
  });

  test('refuses a type that it does not know', () => {
    expect(codeOf(() => encodeTransaction({ ...PAYMENT, type: 'appl' } as never))).toBe('unsupported_transaction_type');
  });

  test('does not change the transaction', () => {
    const before = structuredClone(PAYMENT);
    encodeTransaction(PAYMENT);
    expect(PAYMENT).toEqual(before);
  });
});
