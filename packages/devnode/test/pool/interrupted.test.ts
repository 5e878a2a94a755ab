import { accountFromSeed, type Account } from '@avm402/algorand/account';
import { sha512_256 } from '@avm402/algorand/hash';
import { formatAddress } from '@avm402/algorand/address';
import { setImmediate as otherEvents } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { localControls } from '../../src/dev/control-table.ts';
import type { DevControls } from '../../src/dev/dev-controls.ts';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { Backlog } from '../../src/submission/backlog.ts';
import { Pool } from '../../src/pool/pool.ts';
import { groupMember, idText, signingMessage } from '../../src/transaction/member.ts';
import { addressOf, ALICE, BOB, sign, testChain, uniquePayment, unsigned } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

let accounts = 0;

/** An account whose key no signature was verified with before. */
function newAccount(): Account {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, ++accounts);
  return accountFromSeed(seed);
}

/** A payment signed by 32 new keys, which take several turns of the event loop to verify. Nobody has funded its sender. */
function slowPayment(node: DevelopmentNode): Uint8Array {
  const keys = Array.from({ length: 32 }, newAccount);
  const publicKeys = keys.map(addressOf);
  const sender = sha512_256(Buffer.concat([Buffer.from('MultisigAddr'), Uint8Array.of(1, keys.length), ...publicKeys]));
  const transaction = unsigned({ address: formatAddress(sender) }, node);
  const message = signingMessage(transaction);
  const subsignatures = keys.map((key, index) => ({
    publicKey: publicKeys[index] ?? new Uint8Array(),
    signature: key.sign(message),
  }));
  const multisig = { version: 1, threshold: keys.length, subsignatures };
  return encode(signedTransaction, signedTransaction.of({ transaction, multisig }));
}

/** Submits a payment together with a slow one, and resolves while it is in the pool and its block waits for the slow one. */
async function submitAndHold(node: DevelopmentNode, payment: Uint8Array) {
  const answer = node.submissions.submit(payment);
  const slow = node.submissions.submit(slowPayment(node));
  for (const each of [answer, slow]) each.catch(() => {});
  while (node.counters.poolTransactions === 0) await otherEvents();
  return { answer, slow };
}

describe('a submission whose block is held up', () => {
  test('is refused when a gift’s block makes it impossible, never accepted without being in a block', async () => {
    const node = startedNode();
    const { answer, slow } = await submitAndHold(node, uniquePayment(node, { lastValid: 1n }));
    await localControls(node).fund(BOB.address, 1n);
    await expect(answer).rejects.toMatchObject({
      code: 'refused',
      message: 'TransactionPool.Remember: txn dead: round 2 outside of 0--1',
    });
    await expect(slow).rejects.toThrow('overspend');
    expect(node.queries.blockTransactionIds(1n)).toEqual([]);
    expect(node.counters).toMatchObject({ groupsAccepted: 0, groupsRefused: 2 });
  });

  test('is accepted when a gift’s block leaves it possible, and is in the block after', async () => {
    const node = startedNode();
    const { answer } = await submitAndHold(node, uniquePayment(node, { lastValid: 2n }));
    await localControls(node).fund(BOB.address, 1n);
    const { txId } = await answer;
    expect(node.queries.blockTransactionIds(2n)).toEqual([txId]);
  });

  test('is accepted when its block is mined meanwhile, and is in no second one', async () => {
    const node = startedNode();
    const { answer, slow } = await submitAndHold(node, uniquePayment(node, { lastValid: 1n }));
    await node.controls.mine();
    const { txId } = await answer;
    await expect(slow).rejects.toThrow('overspend');
    expect(node.queries.blockTransactionIds(1n)).toEqual([txId]);
    expect(node.queries.latestRound).toBe(1n);
  });

  test('is accepted when it is in a block, though it fell out of the pool when it was first sent', async () => {
    const node = startedNode();
    const controls = localControls(node);
    const bytes = uniquePayment(node);
    await controls.pause();
    const { txId } = await node.submissions.submit(bytes);
    await controls.setAuthAddress(ALICE.address, BOB.address);
    expect(node.counters.poolTransactions).toBe(0);
    await controls.setAuthAddress(ALICE.address, ALICE.address);
    await controls.resume();
    expect(await node.submissions.submit(bytes)).toEqual({ txId });
    expect(node.queries.blockTransactionIds(3n)).toEqual([txId]);
  });

  test.each<[string, (controls: DevControls, txId: string) => Promise<unknown>]>([
    ['the node is reset', (controls) => controls.reset()],
    ['it is dropped from the pool', (controls, txId) => controls.drop(txId)],
  ])('is refused when %s, never accepted without being in a block', async (_, remove) => {
    const node = startedNode();
    const payment = sign(ALICE, unsigned(ALICE, node));
    const { answer } = await submitAndHold(node, encode(signedTransaction, payment));
    await remove(localControls(node), idText(groupMember(payment).txId));
    await expect(answer).rejects.toMatchObject({
      code: 'refused',
      message: 'TransactionPool.Remember: a developer control has removed it from the pool',
    });
    expect(node.queries.latestRound).toBe(0n);
  });

  test('makes no block after the node has closed, and its submitter is told', async () => {
    const node = startedNode();
    const { answer } = await submitAndHold(node, uniquePayment(node));
    node.close();
    await expect(answer).rejects.toMatchObject({ code: 'shutting_down', status: 500 });
    expect(node.queries.latestRound).toBe(0n);
  });
});

describe('a node whose chain is put back while signatures are verified', () => {
  test.each<[string, (controls: DevControls) => Promise<unknown>]>([
    ['a reset', (controls) => controls.reset()],
    ['a return to a snapshot', (controls) => controls.revert(1)],
  ])('by %s has no transaction of before in a block after it', async (_, putBack) => {
    const node = startedNode();
    node.controls.takeSnapshot();
    // The others come after it, so none is judged before its signatures are verified.
    const slow = node.submissions.submit(slowPayment(node));
    slow.catch(() => {});
    const refused = node.submissions.submit(uniquePayment(node));
    node.submissions.submitAsync(uniquePayment(node));
    await otherEvents();
    await putBack(localControls(node));
    await expect(refused).rejects.toThrow('the chain was put back before the group was judged');
    while (node.counters.backlogGroups > 0) await otherEvents();
    expect(node.counters).toMatchObject({ groupsAccepted: 0, groupsRefused: 2, backlogDropped: 1 });
    expect(node.queries.latestRound).toBe(0n);
  });
});

describe('a node that is closed', () => {
  test('takes no submission', async () => {
    const node = startedNode();
    node.close();
    await expect(node.submissions.submit(uniquePayment(node))).rejects.toMatchObject({
      code: 'shutting_down',
      status: 500,
    });
    expect(() => node.submissions.submitAsync(uniquePayment(node))).toThrow('shutting down');
  });

  test('makes no block of what was on the backlog, nor goes on mining', async () => {
    const node = startedNode();
    node.submissions.submitAsync(uniquePayment(node));
    const mining = node.controls.mine(1000);
    await otherEvents();
    const { latestRound } = node.queries;
    node.close();
    await expect(mining).rejects.toMatchObject({ code: 'shutting_down' });
    await otherEvents();
    expect(node.queries.latestRound).toBe(latestRound);
    await expect(localControls(node).fund(BOB.address, 1n)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

test('a backlog goes on after work that failed unexpectedly, and tells of it', async () => {
  const [done, told]: [SignedTransaction[], unknown[]] = [[], []];
  const fault = new TypeError('a fault');
  const backlog = new Backlog({
    capacity: 10,
    async process(groups) {
      for (const [first] of groups) if (first !== undefined) done.push(first);
      if (done.length === 1) throw fault;
    },
    onError: (error) => told.push(error),
  });
  const one = signedTransaction.of({});
  backlog.add([one]);
  while (backlog.size > 0) await otherEvents();
  expect(told).toEqual([fault]);
  backlog.add([one]);
  while (backlog.size > 0) await otherEvents();
  expect(done).toHaveLength(2);
});

test('a group whose new evaluation fails unexpectedly falls out of the pool, and the others stay', () => {
  const chain = testChain();
  const pool = new Pool(chain, { maxTransactions: 10 });
  const [bad, good] = [1, 2].map((number) =>
    groupMember(sign(ALICE, unsigned(ALICE, chain.context, { note: Uint8Array.of(number) }))),
  );
  if (bad === undefined || good === undefined) throw new Error('two members were made');
  let isBroken = false;
  const breakable = {
    ...bad,
    get transaction() {
      if (isBroken) throw new TypeError('a fault');
      return bad.transaction;
    },
  };
  pool.add([breakable]);
  pool.add([good]);
  isBroken = true;
  pool.rebuild();
  expect([...pool.members]).toEqual([good]);
  expect(pool.find(bad.txId)?.error).toBe('a fault');
  expect(pool.makeBlock({ offset: 1n, now: 0n }).block.transactions).toHaveLength(1);
  expect(pool.size).toBe(0);
});
