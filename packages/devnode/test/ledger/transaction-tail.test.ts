import { decodeBase32 } from '@avm402/algorand/base32';
import { afterEach, describe, expect, test } from 'vitest';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { TransactionTail } from '../../src/ledger/transaction-tail.ts';
import { useOf } from '../../src/ledger/uses.ts';
import { groupMember } from '../../src/transaction/member.ts';
import { testNode, uniquePayment } from '../chain-fixture.ts';

let node: DevelopmentNode | undefined;
afterEach(() => node?.close());
const manualNode = (): DevelopmentNode => (node = testNode({ blocks: 'manual' }));

const LEASE = new Uint8Array(32).fill(9);
const OVERLAPPING = 'using an overlapping lease';

describe('a lease', () => {
  test('that ends with the block being built is held in that block, and free in the next', async () => {
    const chain = manualNode();
    await chain.submissions.submit(uniquePayment(chain, { lease: LEASE, lastValid: 1n }));
    await expect(chain.submissions.submit(uniquePayment(chain, { lease: LEASE }))).rejects.toThrow(OVERLAPPING);
    await chain.controls.mine();
    await chain.submissions.submit(uniquePayment(chain, { lease: LEASE }));
    await chain.controls.mine();
    expect(chain.queries.blockTransactionIds(2n)).toHaveLength(1);
  });

  test('that was used again stays held when its first use is forgotten, and is free when its second has ended', async () => {
    const chain = manualNode();
    await chain.submissions.submit(uniquePayment(chain, { lease: LEASE, lastValid: 1n }));
    await chain.controls.mine(2);
    await chain.submissions.submit(uniquePayment(chain, { lease: LEASE, firstValid: 3n, lastValid: 1003n }));
    // Block 1002 is the first in which nothing of block 1 is still valid.
    await chain.controls.mine(1000);
    const later = { lease: LEASE, firstValid: 900n, lastValid: 1900n };
    await expect(chain.submissions.submit(uniquePayment(chain, later))).rejects.toThrow(OVERLAPPING);
    await chain.controls.mine();
    await chain.submissions.submit(uniquePayment(chain, later));
    await chain.controls.mine();
    expect(chain.queries.blockTransactionIds(1004n)).toHaveLength(1);
  });
});

test('a lease is held in a block that is built anew on the state before its use, as in algod, and free before that', async () => {
  const tail = new TransactionTail(1000n);
  const [signed] = decodeGroup(uniquePayment(manualNode(), { lease: LEASE }), { maxSize: 1, cut: false });
  if (signed === undefined) throw new TypeError('no transaction');
  const use = useOf(groupMember(signed));
  tail.add(10n, [], new Map([[use.lease ?? '', 20n]]));
  const held = [9n, 10n, 11n, 20n, 21n].map((round) => tail.problemOf(use, round) !== undefined);
  expect(held).toEqual([false, true, true, true, false]);
});

test('a confirmed transaction is known for 1000 more rounds, and then no longer', async () => {
  const chain = manualNode();
  const { txId } = await chain.submissions.submit(uniquePayment(chain));
  const id = decodeBase32(txId) ?? new Uint8Array();
  await chain.controls.mine(1001);
  expect(chain.queries.pendingTransaction(id)?.toJson()).toContain('"confirmed-round": 1');
  await chain.controls.mine();
  expect(chain.queries.pendingTransaction(id)).toBeUndefined();
});
