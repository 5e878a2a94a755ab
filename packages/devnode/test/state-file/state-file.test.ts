import { describe, expect, onTestFinished, test } from 'vitest';
import { localControls } from '../../src/dev/control-table.ts';
import { DevelopmentNode as Node } from '../../src/development-node.ts';
import { BOB, CAROL, balanceOf, addressOf, signedBytes, testGenesis, uniquePayment } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';
import { LEASE, answersOf, liveThrough } from './rich-chain.ts';

describe('a node started with the state file of another', () => {
  test('answers the same of every account and block', async () => {
    const node = startedNode();
    await liveThrough(node);
    expect(answersOf(startedNode({ state: node.controls.dump() }))).toEqual(answersOf(node));
  });

  test('goes on with the same next block', async () => {
    const now = (): number => 1_700_000_100_000;
    const node = startedNode({ now });
    await liveThrough(node);
    const twin = startedNode({ now, state: node.controls.dump() });
    const payment = uniquePayment(node);
    for (const each of [node, twin]) await each.submissions.submit(payment);
    expect(answersOf(twin)).toEqual(answersOf(node));
  });

  test('refuses a payment that is in one of its blocks, and a lease that is held', async () => {
    const node = startedNode();
    const payment = await liveThrough(node);
    const twin = startedNode({ state: node.controls.dump() });
    await expect(twin.submissions.submit(payment)).rejects.toThrow('transaction already in ledger');
    const again = signedBytes(twin, { lease: LEASE, note: Buffer.from('again') });
    await expect(twin.submissions.submit(again)).rejects.toThrow('using an overlapping lease');
    expect(twin.queries.pendingTransaction(new Uint8Array(32))).toBeUndefined();
  });

  test('lets a rekeyed account sign only with its new key', async () => {
    const node = startedNode();
    await liveThrough(node);
    const twin = startedNode({ state: node.controls.dump() });
    await expect(twin.submissions.submit(signedBytes(twin, {}, BOB))).rejects.toThrow('should have been authorized by');
    expect(twin.queries.account(addressOf(BOB)).account.authAddress).toEqual(addressOf(CAROL));
  });

  test('keeps the step of its clock', () => {
    const node = startedNode();
    node.clock.offset = 17n;
    expect(startedNode({ state: node.controls.dump() }).clock.offset).toBe(17n);
  });

  test('brings its genesis along, and refuses to be asked for another', async () => {
    const node = startedNode({ genesis: testGenesis({ timestamp: 1_600_000_000 }) });
    await liveThrough(node);
    const state = node.controls.dump();
    const twin = new Node({ state });
    onTestFinished(() => twin.close());
    expect(answersOf(twin)).toEqual(answersOf(node));
    expect(() => startedNode({ state })).toThrow(expect.objectContaining({ code: 'invalid_state_file' }));
  });
});

describe('a running node that loads a state file', () => {
  test('goes back to where it was, and gives a group that waits its place again', async () => {
    const node = startedNode();
    await liveThrough(node);
    const [state, before] = [node.controls.dump(), answersOf(node)];
    const payment = uniquePayment(node);
    await node.submissions.submit(payment);
    await localControls(node).fund(BOB.address, 1n);
    node.controls.load(state);
    expect(answersOf(node)).toEqual(before);
    await node.submissions.submit(payment);
    expect(answersOf(node)).not.toEqual(before);
  });

  test('goes forward, and whoever waits for that round is told', async () => {
    const node = startedNode();
    await liveThrough(node);
    const other = startedNode({ blocks: 'manual' });
    const waiting = other.blocks.waitForRound(5n, { timeoutMs: 60_000 });
    await other.submissions.submit(uniquePayment(other));
    other.controls.load(node.controls.dump());
    await waiting;
    expect(balanceOf(other, CAROL)).toBe(balanceOf(node, CAROL));
    await other.controls.mine();
    expect(other.queries.blockTransactionIds(other.queries.latestRound)).toHaveLength(1);
  });

  test('refuses a file of another chain, one that is damaged and one that is cut, and stays as it is', async () => {
    const node = startedNode();
    await liveThrough(node);
    const before = answersOf(node);
    const other = startedNode({ genesis: testGenesis({ timestamp: 1_600_000_000 }) });
    expect(() => node.controls.load(other.controls.dump())).toThrow(
      expect.objectContaining({ code: 'invalid_state_file' }),
    );
    const file = node.controls.dump();
    expect(() => node.controls.load(file.subarray(0, -1))).toThrow(
      expect.objectContaining({ code: 'damaged_state_file' }),
    );
    const broken = Uint8Array.from(file);
    broken[file.length >> 1] = (broken[file.length >> 1] ?? 0) ^ 1;
    expect(() => node.controls.load(broken)).toThrow(expect.objectContaining({ code: 'damaged_state_file' }));
    expect(answersOf(node)).toEqual(before);
  });

  test('is refused once the node is closed', () => {
    const node = startedNode();
    const state = node.controls.dump();
    node.close();
    expect(() => node.controls.load(state)).toThrow(expect.objectContaining({ code: 'shutting_down' }));
  });
});

test('a state of more entries than one record takes is whole', async () => {
  const node = startedNode();
  const receivers = Array.from({ length: 2500 }, (_, index) => Buffer.alloc(32, `account ${index} `));
  node.blocks.makeBlockWith((state) => {
    for (const key of receivers) {
      state.setAccount(key.toString('latin1'), { ...state.account(''), microAlgos: 100_000n });
    }
  });
  const twin = startedNode({ state: node.controls.dump() });
  for (const key of receivers) expect(twin.queries.account(key)).toEqual(node.queries.account(key));
});
