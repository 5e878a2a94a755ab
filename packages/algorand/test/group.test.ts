import algosdk from 'algosdk';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignGroup, computeGroupId, decodeGroup } from '../src/group.ts';
import { encodeTransaction, type Transaction, transactionId } from '../src/transaction.ts';
import { arbitraryTransaction } from './arbitrary-transaction.ts';
import { ACCOUNT_1, ACCOUNT_2, bytesOfBase64, codeOf, hexOf } from './keys.ts';
import { sdkTransaction } from './sdk-transaction.ts';

const WINDOW = {
  firstValid: 10n,
  lastValid: 1010n,
  genesisId: 'testnet-v1.0',
  genesisHash: bytesOfBase64('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI='),
};

const GROUP: readonly Transaction[] = [
  {
    type: 'pay',
    sender: ACCOUNT_1.address,
    receiver: ACCOUNT_2.address,
    amount: 12345n,
    fee: 1000n,
    note: Uint8Array.of(1, 2, 3),
    ...WINDOW,
  },
  {
    type: 'axfer',
    sender: ACCOUNT_2.address,
    receiver: ACCOUNT_1.address,
    assetId: 1001n,
    amount: 7n,
    fee: 0n,
    ...WINDOW,
  },
];

const arbitraryGroup = fc.array(arbitraryTransaction, { minLength: 1, maxLength: 16 });

describe('published vectors of algod', () => {
  test('the group of two has its id, and the members theirs', () => {
    expect(computeGroupId(GROUP)).toEqual(bytesOfBase64('E1pDxbqIWNLePVhgeiLb9qmGERTJn5oU0dyFwEQzHrE='));
    expect(assignGroup(GROUP).map(transactionId)).toEqual([
      'R73YR66WNDX6Z4ZS5LHE3ZV4NMJIWPL3UV4E2BFAXOTEFRO6SHPA',
      'ZSKSG7G35CKM6TUTXCY75OTWX5PSZVU3DSD2ET3MQT6TTITV2F3A',
    ]);
  });
});

test('every group has the id that algosdk gives it', () => {
  fc.assert(
    fc.property(arbitraryGroup, (group) => {
      expect(hexOf(computeGroupId(group))).toBe(hexOf(algosdk.computeGroupID(group.map(sdkTransaction))));
    }),
    { numRuns: 50 },
  );
});

test('the id is the same before and after it is assigned, so a received group can be checked', () => {
  fc.assert(
    fc.property(arbitraryGroup, (group) => {
      expect(computeGroupId(assignGroup(group))).toEqual(computeGroupId(group));
    }),
    { numRuns: 50 },
  );
});

test('assigning returns copies and leaves the given transactions alone', () => {
  const before = structuredClone(GROUP);
  expect(assignGroup(GROUP).every(({ group }) => group !== undefined)).toBe(true);
  expect(GROUP).toEqual(before);
});

test('an empty group and one of more than 16 are refused', () => {
  expect(codeOf(() => computeGroupId([]))).toBe('invalid_group');
  const [first] = GROUP;
  expect(codeOf(() => assignGroup(Array.from({ length: 17 }, () => first as Transaction)))).toBe('invalid_group');
});

test('a group is read from the bytes of its members, one after the other', () => {
  fc.assert(
    fc.property(arbitraryGroup, (group) => {
      const bytes = Buffer.concat(group.map(encodeTransaction));
      expect(decodeGroup(bytes).map(({ txId }) => txId)).toEqual(group.map(transactionId));
    }),
    { numRuns: 50 },
  );
});

test('bytes of no member, of 17, and of half a member are no group', () => {
  const [first] = GROUP;
  const bytes = encodeTransaction(first as Transaction);
  expect(codeOf(() => decodeGroup(new Uint8Array()))).toBe('invalid_group');
  expect(codeOf(() => decodeGroup(Buffer.concat(Array.from({ length: 17 }, () => bytes))))).toBe('invalid_group');
  expect(codeOf(() => decodeGroup(bytes.subarray(0, -1)))).toBe('invalid_msgpack');
});
