import { formatAddress } from '@avm402/algorand/address';
import { assignGroup, computeGroupId } from '@avm402/algorand/group';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { expect, it } from 'vitest';
import { unsentGroup } from '../src/server/unsent-group.ts';

const address = formatAddress(new Uint8Array(32).fill(7));
const payment = (amount: bigint, lastValid: bigint): Transaction => ({
  type: 'pay',
  sender: address,
  receiver: address,
  amount,
  fee: 1000n,
  firstValid: 5n,
  lastValid,
  genesisHash: new Uint8Array(32).fill(1),
});

it('a group like a confirmed one has other ids, its own group id and no signatures', () => {
  const sent = assignGroup([payment(1n, 1005n), payment(2n, 900n)]);
  const signature = new Uint8Array(64).fill(3);
  const unsent = unsentGroup(sent.map((txn) => encodeSignedTransaction({ txn, signature }))).map(
    decodeSignedTransaction,
  );
  expect(unsent.map(({ txn }) => txn.lastValid)).toEqual([1004n, 901n]);
  expect(unsent.map((member) => member.signature)).toEqual([undefined, undefined]);
  const group = computeGroupId(unsent.map(({ txn }) => txn));
  expect(unsent.map(({ txn }) => txn.group)).toEqual([group, group]);
});
