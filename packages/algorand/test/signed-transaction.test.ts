import algosdk from 'algosdk';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountFromSeed } from '../src/account.ts';
import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from '../src/msgpack.ts';
import { multisigAddress, signMultisig } from '../src/multisig.ts';
import {
  decodeMember,
  decodeSignedTransaction,
  encodeSignedTransaction,
  type SignedTransaction,
} from '../src/signed-transaction.ts';
import {
  decodeTransaction,
  encodeTransaction,
  type PaymentTransaction,
  type Transaction,
  transactionId,
  transactionSigningBytes,
} from '../src/transaction.ts';
import { arbitraryTransaction } from './arbitrary-transaction.ts';
import { ACCOUNT_1, ACCOUNT_2, codeOf, errorOf, hexOf, SEED_1 } from './keys.ts';
import { sdkTransaction } from './sdk-transaction.ts';

const PAYMENT: PaymentTransaction = {
  type: 'pay',
  sender: ACCOUNT_1.address,
  receiver: ACCOUNT_2.address,
  amount: 1n,
  fee: 1000n,
  firstValid: 1n,
  lastValid: 2n,
  genesisHash: new Uint8Array(32).fill(9),
};

const MULTISIG = { version: 1, threshold: 2, publicKeys: [ACCOUNT_1.publicKey, ACCOUNT_2.publicKey] };

function signed(change: (map: Map<string, MsgpackValue>) => void): Uint8Array {
  const map = decodeMsgpack(ACCOUNT_1.signTransaction(PAYMENT)) as Map<string, MsgpackValue>;
  change(map);
  return encodeMsgpack(map);
}

test('a signature of key 1 gives the 249 bytes of the published vector', () => {
  const payment: PaymentTransaction = {
    ...PAYMENT,
    amount: 12345n,
    firstValid: 10n,
    lastValid: 1010n,
    genesisId: 'testnet-v1.0',
    genesisHash: Uint8Array.from(Buffer.from('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=', 'base64')),
    note: Uint8Array.of(1, 2, 3),
  };
  expect(ACCOUNT_1.signTransaction(payment)).toHaveLength(249);
});

test('signing gives the same bytes as algosdk, also for a rekeyed sender', () => {
  const secretKey = Uint8Array.of(...SEED_1, ...ACCOUNT_1.publicKey);
  fc.assert(
    fc.property(arbitraryTransaction, fc.boolean(), (transaction, isRekeyed) => {
      const sender = isRekeyed ? ACCOUNT_2.address : ACCOUNT_1.address;
      const txn = { ...transaction, sender };
      const account = accountFromSeed(SEED_1, { address: sender });
      expect(hexOf(account.signTransaction(txn))).toBe(hexOf(sdkTransaction(txn).signTxn(secretKey)));
    }),
    { numRuns: 30 },
  );
});

describe('decodeSignedTransaction', () => {
  test.each<[string, SignedTransaction]>([
    ['an unsigned transaction', { txn: PAYMENT }],
    ['a signature', { txn: PAYMENT, signature: new Uint8Array(64).fill(3) }],
    [
      'a signature of an auth address',
      { txn: PAYMENT, signature: new Uint8Array(64).fill(3), authAddress: ACCOUNT_2.address },
    ],
    ['a multisig', { txn: PAYMENT, multisig: signMultisig(MULTISIG, Uint8Array.of(1), ACCOUNT_2) }],
    ['a logic signature', { txn: PAYMENT, logicSignature: encodeMsgpack({ l: Uint8Array.of(1, 32) }) }],
    ['a Falcon signature', { txn: PAYMENT, pqSignature: encodeMsgpack({ sch: 'f1', sig: Uint8Array.of(0xba) }) }],
  ])('returns %s as it was encoded', (_, transaction) => {
    expect(decodeSignedTransaction(encodeSignedTransaction(transaction))).toEqual(transaction);
  });

  test('refuses an unknown field beside the transaction and one inside it, by name', () => {
    expect(errorOf(() => decodeSignedTransaction(signed((map) => map.set('mldsa', new Map()))))).toMatchObject({
      code: 'unknown_field',
      field: 'mldsa',
    });
    const inside = signed((map) => (map.get('txn') as Map<string, MsgpackValue>).set('apid', 5n));
    expect(errorOf(() => decodeSignedTransaction(inside))).toMatchObject({ code: 'unknown_field', field: 'apid' });
  });

  test.each([
    ['an all-zero signature', signed((map) => map.set('sig', new Uint8Array(64)))],
    ['a zero auth address', signed((map) => map.set('sgnr', new Uint8Array(32)))],
    [
      'an explicit zero in the transaction',
      signed((map) => (map.get('txn') as Map<string, MsgpackValue>).set('note', new Uint8Array())),
    ],
    ['an empty multisig', signed((map) => map.set('msig', new Map()))],
    [
      'an unsorted logic signature',
      Uint8Array.of(
        0x82,
        ...encodeMsgpack('lsig'),
        0x82,
        0xa1,
        0x73,
        1,
        0xa1,
        0x6c,
        1,
        ...encodeMsgpack('txn'),
        ...encodeMsgpack(decodeMsgpack(encodeSignedTransaction({ txn: PAYMENT })) as never).subarray(5),
      ),
    ],
  ])('refuses %s as not canonical', (_, bytes) => {
    expect(codeOf(() => decodeSignedTransaction(bytes))).toBe('not_canonical');
  });

  test.each([
    ['a signature of 63 bytes', signed((map) => map.set('sig', new Uint8Array(63).fill(1))), 'sig'],
    ['a missing transaction', signed((map) => map.delete('txn')), 'txn'],
    [
      'a multisig key of 31 bytes',
      signed((map) => map.set('msig', new Map([['subsig', [new Map([['pk', new Uint8Array(31)]])]]]))),
      'pk',
    ],
    ['a multisig whose keys are no list', signed((map) => map.set('msig', new Map([['subsig', 1n]]))), 'subsig'],
    ['a multisig version beyond a byte', signed((map) => map.set('msig', new Map([['v', 256n]]))), 'v'],
    ['a logic signature that is no map', signed((map) => map.set('lsig', 1n)), 'lsig'],
  ])('refuses %s', (_, bytes, field) => {
    expect(errorOf(() => decodeSignedTransaction(bytes))).toMatchObject({ code: 'invalid_transaction', field });
  });
});

describe('decodeMember', () => {
  const arbitraryMember = fc
    .tuple(arbitraryTransaction, fc.boolean())
    .map(([txn, isSigned]) => (isSigned ? ACCOUNT_1.signTransaction(ofAccount1(txn)) : encodeTransaction(txn)));
  const ofAccount1 = (txn: Transaction): Transaction => ({ ...txn, sender: ACCOUNT_1.address });

  function outcome(read: () => SignedTransaction): unknown {
    try {
      return read();
    } catch {
      return codeOf(read);
    }
  }

  test('reads what the decoders of signed and of bare transactions read, and refuses the rest with their codes', () => {
    fc.assert(
      fc.property(arbitraryMember, fc.nat(), fc.nat(255), fc.boolean(), (member, position, byte, isSpoiled) => {
        if (isSpoiled) member[position % member.length] = byte;
        const expected = outcome(() => {
          const value = decodeMsgpack(member);
          const isSigned = value instanceof Map && value.has('txn');
          return isSigned ? decodeSignedTransaction(member) : { txn: decodeTransaction(member) };
        });
        expect(outcome(() => decodeMember(member).signed)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('gives the id of the transaction and what is signed', () => {
    fc.assert(
      fc.property(arbitraryMember, (member) => {
        const { signed: decoded, txId, signingBytes } = decodeMember(member);
        expect(txId).toBe(transactionId(decoded.txn));
        expect(signingBytes).toEqual(transactionSigningBytes(decoded.txn));
      }),
    );
  });
});

test('a multisig transaction has the same bytes as algosdk gives it', () => {
  const sender = multisigAddress(MULTISIG);
  const txn = { ...PAYMENT, sender };
  const multisig = signMultisig(MULTISIG, transactionSigningBytes(txn), ACCOUNT_1);
  const { blob } = algosdk.signMultisigTransaction(
    sdkTransaction(txn),
    { version: 1, threshold: 2, addrs: [ACCOUNT_1.address, ACCOUNT_2.address] },
    Uint8Array.of(...SEED_1, ...ACCOUNT_1.publicKey),
  );
  expect(hexOf(encodeSignedTransaction({ txn, multisig }))).toBe(hexOf(blob));
});
