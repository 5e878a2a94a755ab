import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDevnode, type DevControls, type Devnode } from '../../src/index.ts';
import { get, latestTimestamp, payment, submit, unsignedPayment, USDC, WAYS, YANN, ZOE } from './stage.ts';

describe.each(WAYS)('controls %s', (_, way) => {
  let node: Devnode;
  let controls: DevControls;
  beforeEach(async () => {
    node = await startDevnode({ port: 0 });
    controls = way(node);
    await controls.fund(ZOE.address, 10_000_000n);
  });
  afterEach(() => node.stop());

  const held = (address: string): bigint => node.balance(address).microAlgos;

  describe('of time', () => {
    test('set the next block’s timestamp, and the clock continues from it', async () => {
      const future = 4_000_000_000;
      await controls.setTime(future);
      await controls.mine();
      expect(await latestTimestamp(node)).toBe(future);
      await controls.mine();
      expect((await latestTimestamp(node)) - future).toBeLessThanOrEqual(25);
      expect((await controls.state()).secondsAhead).toBeGreaterThan(100_000_000n);
    });

    test('move the time on, each time from where it was', async () => {
      await controls.mine();
      const before = await latestTimestamp(node);
      const first = await controls.increaseTime(86_400);
      expect(first).toBeGreaterThanOrEqual(before + 86_400);
      expect(await controls.increaseTime(60)).toBe(first + 60);
      await controls.mine();
      expect(await latestTimestamp(node)).toBe(first + 60);
    });

    test('go along with a fixed offset between blocks, which the state tells', async () => {
      expect((await controls.state()).timestampOffset).toBeUndefined();
      await get(node, '/v2/devmode/blocks/offset/7', { method: 'POST' });
      expect((await controls.state()).timestampOffset).toBe(7n);
      const before = await latestTimestamp(node);
      await controls.increaseTime(1000);
      await controls.mine(2);
      expect(await latestTimestamp(node)).toBe(before + 7 + 1000 + 7);
    });

    test('refuse to go back behind the latest block, and to leave the calendar', async () => {
      await expect(controls.setTime(1)).rejects.toMatchObject({ code: 'refused' });
      await expect(controls.increaseTime(253_402_300_800)).rejects.toMatchObject({ code: 'refused' });
      expect((await controls.state()).secondsAhead).toBe(0n);
    });
  });

  test('pause the making of blocks: what is submitted waits until they go on', async () => {
    await controls.pause();
    const round = node.latestRound;
    expect((await submit(node, payment(node))).status).toBe(200);
    expect(await controls.state()).toMatchObject({ round, paused: true, poolTransactions: 1 });
    await controls.mine();
    expect(node.latestRound).toBe(round + 1n);
    expect((await submit(node, payment(node))).status).toBe(200);
    await controls.resume();
    expect(await controls.state()).toMatchObject({ round: round + 2n, paused: false, poolTransactions: 0 });
  });

  test('that load a chain which is not paused give what waits its block', async () => {
    const file = await controls.dump();
    await controls.pause();
    await submit(node, payment(node));
    expect(await controls.load(file)).toBe(2n);
    expect(await controls.state()).toMatchObject({ paused: false, poolTransactions: 0 });
  });

  describe('of snapshots', () => {
    test('return to any of several, one on the other, more than once', async () => {
      const first = await controls.snapshot();
      await controls.fund(YANN.address, 1_000_000n);
      const second = await controls.snapshot();
      await controls.fund(YANN.address, 5n);
      await controls.deal(YANN.address, USDC, 3n);
      expect(await controls.revert(second)).toBe(2n);
      expect([held(YANN.address), node.balance(YANN.address).assets.size]).toEqual([1_000_000n, 0]);
      await controls.fund(YANN.address, 7n);
      await controls.revert(second);
      expect(held(YANN.address)).toBe(1_000_000n);
      expect(await controls.revert(first)).toBe(1n);
      expect([held(YANN.address), node.latestRound]).toEqual([0n, 1n]);
      await expect(controls.revert(second)).rejects.toMatchObject({ code: 'not_found', status: 404 });
      expect((await controls.state()).snapshots).toEqual([{ id: first, round: 1n }]);
    });

    test('let a transaction that was taken back be sent again, once', async () => {
      const snapshot = await controls.snapshot();
      const [plain, leased] = [payment(node), payment(node, { lease: new Uint8Array(32).fill(1) })];
      const sendTwice = async (): Promise<void> => {
        for (const bytes of [plain, leased]) expect((await submit(node, bytes)).status).toBe(200);
        expect((await submit(node, plain)).text).toContain('already in ledger');
        expect((await submit(node, leased)).text).toContain('overlapping lease');
      };
      await sendTwice();
      await controls.revert(snapshot);
      await sendTwice();
      expect(held(ZOE.address)).toBe(10_000_000n - 2n * 1001n);
    });

    test('remember what waits in the pool, what time it is and that blocks are paused', async () => {
      await controls.pause();
      const { txId } = JSON.parse((await submit(node, payment(node))).text) as { txId: string };
      await controls.setTime(4_000_000_000);
      const snapshot = await controls.snapshot();
      await controls.resume();
      expect(await latestTimestamp(node)).toBe(4_000_000_000);
      await controls.increaseTime(1_000_000);
      await controls.revert(snapshot);
      expect(await controls.state()).toMatchObject({ paused: true, poolTransactions: 1 });
      const before = await controls.state();
      await controls.drop(txId);
      await controls.revert(snapshot);
      expect(await controls.state()).toEqual(before);
      await controls.mine();
      expect([await latestTimestamp(node), held(ZOE.address)]).toEqual([4_000_000_000, 10_000_000n - 1001n]);
    });
  });

  test('let an account sign for itself where the zero address is to sign, as everywhere on Algorand', async () => {
    await controls.setAuthAddress(ZOE.address, YANN.address);
    await controls.setAuthAddress(ZOE.address, formatAddress(new Uint8Array(32)));
    expect((await submit(node, payment(node))).status).toBe(200);
    const account = await get(node, `/v2/accounts/${ZOE.address}`);
    expect(await account.json()).not.toHaveProperty('auth-addr');
  });

  test('let another key sign for an account, and its own again', async () => {
    const receiver = parseAddress(YANN.address);
    await controls.setAuthAddress(ZOE.address, YANN.address);
    expect((await submit(node, payment(node))).text).toContain('should have been authorized by');
    await controls.setAuthAddress(ZOE.address, ZOE.address);
    expect((await submit(node, payment(node, { receiver, amount: 200_000n }))).status).toBe(200);
  });

  test('freeze what an account holds of an asset, and thaw it', async () => {
    await controls.deal(ZOE.address, USDC, 5n);
    const assetReceiver = parseAddress(node.accounts.payer.address);
    const transfer = (): Uint8Array =>
      payment(node, { type: 'axfer', transferAsset: USDC, assetAmount: 1n, assetReceiver });
    await controls.setFrozen(ZOE.address, USDC, true);
    expect((await submit(node, transfer())).text).toContain('frozen in');
    await controls.setFrozen(ZOE.address, USDC, false);
    expect((await submit(node, transfer())).status).toBe(200);
    await expect(controls.setFrozen(YANN.address, USDC, true)).rejects.toThrow('has not opted in');
  });

  test('drop a transaction that waits, as if it had never come', async () => {
    await controls.pause();
    const { text } = await submit(node, payment(node));
    const { txId } = JSON.parse(text) as { txId: string };
    expect(await controls.drop(txId)).toEqual([txId]);
    expect((await get(node, `/v2/transactions/pending/${txId}`)).status).toBe(404);
    const { poolTransactions, changes } = await controls.state();
    expect([poolTransactions, changes.at(-1)]).toMatchObject([0, { control: 'drop', txId }]);
    await expect(controls.drop(txId)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    await expect(controls.drop('no id')).rejects.toMatchObject({ code: 'refused' });
  });

  test('impersonate an account: what it sends needs no signature, until it does again', async () => {
    expect((await submit(node, unsignedPayment(node))).text).toContain('signedtxn has no sig');
    await controls.impersonate(ZOE.address);
    expect((await submit(node, unsignedPayment(node))).status).toBe(200);
    // A rekeyed account, too; and only this account.
    await controls.setAuthAddress(ZOE.address, YANN.address);
    expect((await submit(node, unsignedPayment(node, { note: Buffer.from('rekeyed') }))).status).toBe(200);
    const ofOther = unsignedPayment(node, { sender: parseAddress(node.accounts.payer.address) });
    expect((await submit(node, ofOther)).text).toContain('signedtxn has no sig');
    await controls.stopImpersonating(ZOE.address);
    expect((await submit(node, unsignedPayment(node, { note: Buffer.from('later') }))).status).toBe(400);
  });

  test('impersonate an account in simulations, too, rekeyed or not', async () => {
    /** Why the unsigned payment would fail; undefined if it would pass. */
    const failure = async (): Promise<string | undefined> => {
      // {"txn-groups": [{"txns": [the payment]}]}
      const head = ['\x81\xaatxn-groups\x91', '\x81\xa4txns\x91'].map((part) => Buffer.from(part, 'latin1'));
      const body = Buffer.concat([...head, unsignedPayment(node)]);
      const answer = await get(node, '/v2/transactions/simulate', { method: 'POST', body });
      const { 'txn-groups': groups } = (await answer.json()) as { 'txn-groups': { 'failure-message'?: string }[] };
      return groups[0]?.['failure-message'];
    };
    expect(await failure()).toContain('signedtxn has no sig');
    await controls.impersonate(ZOE.address);
    expect(await failure()).toBeUndefined();
    await controls.setAuthAddress(ZOE.address, YANN.address);
    expect(await failure()).toBeUndefined();
    await controls.stopImpersonating(ZOE.address);
    expect(await failure()).toContain('signedtxn has no sig');
  });

  test('refuse an impersonated account’s transaction with a wrong signature', async () => {
    await controls.impersonate(ZOE.address);
    const forged = payment(node, {}, YANN);
    const asZoe = payment(node, { sender: parseAddress(ZOE.address) }, YANN);
    expect((await submit(node, asZoe)).text).toContain("didn't pass verification");
    expect((await submit(node, forged)).status).toBe(400);
  });

  describe('of faults', () => {
    const SUBMIT = 'POST /v2/transactions';

    test('answer a status in place of any work, as often as asked', async () => {
      const id = await controls.addFault({ route: SUBMIT, status: 503, times: 2 });
      const bytes = payment(node);
      const statuses = [];
      for (let count = 0; count < 3; count++) statuses.push((await submit(node, bytes)).status);
      expect(statuses).toEqual([503, 503, 200]);
      expect((await controls.state()).faults).toMatchObject([
        { id, route: SUBMIT, status: 503, times: 2n, struck: 2n },
      ]);
    });

    test('keep a request waiting before it is done', async () => {
      await controls.addFault({ route: SUBMIT, delayMs: 150 });
      const began = performance.now();
      expect((await submit(node, payment(node))).status).toBe(200);
      expect(performance.now() - began).toBeGreaterThan(140);
    });

    test('lose an answer after the work, or a request before it', async () => {
      const before = node.latestRound;
      const lost = await controls.addFault({ route: SUBMIT, lose: 'answer' });
      await expect(submit(node, payment(node))).rejects.toThrow('fetch failed');
      expect(node.latestRound).toBe(before + 1n);
      await controls.removeFault(lost);
      await controls.addFault({ route: SUBMIT, lose: 'request' });
      await expect(submit(node, payment(node))).rejects.toThrow('fetch failed');
      expect(node.latestRound).toBe(before + 1n);
    });

    test('strike their route only, and no more once they are taken away', async () => {
      const id = await controls.addFault({ route: 'GET /v2/blocks/{round}', status: 500 });
      expect((await get(node, '/v2/blocks/0')).status).toBe(500);
      expect((await get(node, '/v2/blocks/0/hash')).status).toBe(200);
      await controls.removeFault(id);
      expect((await get(node, '/v2/blocks/0')).status).toBe(200);
      await expect(controls.removeFault(id)).rejects.toMatchObject({ code: 'not_found' });
    });

    test.each([
      { route: 'POST /v2/nothing', status: 500 },
      { route: 'POST /dev/reset', status: 500 },
      { route: SUBMIT, status: 200 },
      { route: SUBMIT, delayMs: 600_001 },
      { route: SUBMIT, times: 0 },
      { route: SUBMIT, lose: 'both' as 'answer' },
    ])('refuse %j', async (fault) => {
      await expect(controls.addFault(fault)).rejects.toMatchObject({ code: 'refused' });
      expect((await controls.state()).faults).toEqual([]);
    });
  });

  test('tell of all that they did, and undo it with one call', async () => {
    const before = await fresh();
    await controls.deal(ZOE.address, USDC, 5n);
    await controls.setFrozen(ZOE.address, USDC, true);
    await controls.setAuthAddress(ZOE.address, YANN.address);
    await controls.impersonate(YANN.address);
    await controls.addFault({ route: 'GET /v2/status', delayMs: 5 });
    await controls.snapshot();
    await controls.setTime(4_000_000_000);
    await get(node, '/v2/devmode/blocks/offset/7', { method: 'POST' });
    await controls.pause();
    const state = await controls.state();
    expect(state).toMatchObject({ round: 4n, blocks: 'instant', paused: true, impersonated: [YANN.address] });
    expect([state.snapshots.length, state.faults.length]).toEqual([1, 1]);
    expect(state.changes.map(({ round, control }) => [round, control])).toEqual([
      [1n, 'fund'],
      [2n, 'deal'],
      [3n, 'freeze'],
      [4n, 'auth-address'],
    ]);
    await controls.reset();
    expect(await controls.state()).toEqual(before);
    expect([held(ZOE.address), node.latestRound]).toEqual([0n, 0n]);
  });

  /** The state of a node that was just started. */
  async function fresh(): Promise<unknown> {
    const other = await startDevnode({ port: 0 });
    const state = await other.state();
    await other.stop();
    return state;
  }
});
