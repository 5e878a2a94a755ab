import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAlgodClient } from '@avm402/algorand/algod';
import { algorandNetwork } from '@avm402/core/network';
import { startDevnode } from '@avm402/devnode';
import {
  createFacilitator,
  type NewSettlement,
  type SettlementStore,
  createSqliteSettlementStore,
} from '@avm402/facilitator';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SponsoredStage } from './sponsored-stage.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'avm402-rows-'))));
afterEach(() => rm(folder, { recursive: true }));

const newStore = (): SettlementStore => createSqliteSettlementStore({ path: join(folder, 'settlements.sqlite') });

describe('payments that are verified while there is money, and settled when there is none', () => {
  it('leave behind a row for those under way, and none for the rest', async () => {
    const rows = { recorded: 0 };
    const store = counting(newStore(), 'record', () => (rows.recorded += 1));
    const stage = await SponsoredStage.start(() => ({ store }));
    onTestFinished(() => stage.stop());
    const unsponsored = stage.requirements({ extra: {} });
    const payments = await Promise.all(Array.from({ length: 400 }, () => stage.pay(unsponsored)));
    expect(await stage.askAll('verify', payments)).toEqual({ ok: 400 });
    await stage.leave('payer', 0n);
    const atOnce = 10;
    const refused = { invalid_exact_avm_insufficient_balance: 400 };
    expect(await stage.askAll('settle', payments, atOnce)).toEqual(refused);
    console.log(`400 payments of an emptied account left ${rows.recorded} rows behind`);
    expect(rows.recorded).toBeGreaterThan(0);
    expect(rows.recorded).toBeLessThanOrEqual(3 * atOnce);
  });
});

describe('thousands of refused payments', () => {
  const ROWS = 2_000;
  const ROUNDS = 100;

  it('cost a facilitator that starts again one reading of each block, and nothing while they wait', async () => {
    const node = await startDevnode({ port: 0 });
    onTestFinished(() => node.stop());
    const network = algorandNetwork(node.genesisHash);
    const store = newStore();
    await store.open();
    for (let row = 0; row < ROWS; row += 1) {
      const txId = `T${String(row).padStart(51, 'A')}`;
      await store.record(settlementOf(txId, network), { owner: 'dead', leaseMs: 1 });
      await store.change(txId, 'dead', { to: 'submitted' });
      await store.change(txId, 'dead', { to: 'rejected', reason: 'invalid_exact_avm_insufficient_balance' });
    }
    await store.close();
    await node.mine(ROUNDS);

    const reads: bigint[] = [];
    const algod = createAlgodClient(node);
    const blockTransactionIds = (round: bigint): Promise<string[]> => {
      reads.push(round);
      return algod.blockTransactionIds(round);
    };
    let [taken, renewals] = [0, 0];
    const reopened = counting(newStore(), 'takeOver', (rows) => {
      taken += (rows as readonly unknown[]).length;
      renewals += 1;
    });
    const facilitator = createFacilitator({
      networks: [{ algods: [{ ...algod, blockTransactionIds }] }],
      store: reopened,
      leaseMs: 30,
    });
    onTestFinished(() => facilitator.close());
    await facilitator.start();
    expect(taken).toBe(ROWS);
    await expect.poll(() => reads.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(ROUNDS - 1);
    // Renewing the lease touches no row.
    await expect.poll(() => renewals, { timeout: 20_000 }).toBeGreaterThan(20);
    console.log(`${ROWS} refused payments: ${reads.length} readings of ${ROUNDS} blocks`);
    expect(reads.length).toBeLessThanOrEqual(ROUNDS);
    expect(new Set(reads).size).toBe(reads.length);
    expect(taken).toBe(ROWS);

    // Their window ends: each block is read once more, for all of them together.
    reads.length = 0;
    await node.mine(WINDOW - ROUNDS + 1);
    await expect.poll(() => reads.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(WINDOW);
    const last = `T${String(ROWS - 1).padStart(51, 'A')}`;
    await expect.poll(async () => (await facilitator.settlement(last))?.state, { timeout: 20_000 }).toBe('expired');
    expect(reads.length).toBeLessThanOrEqual(2 * WINDOW + ROUNDS);
  }, 60_000);
});

const WINDOW = 300;

function settlementOf(txId: string, network: NewSettlement['network']): NewSettlement {
  return {
    txId,
    network,
    round: 1n,
    firstValid: 1n,
    lastValid: BigInt(WINDOW),
    payer: 'PAYER',
    signer: 'PAYER',
    payTo: 'MERCHANT',
    asset: '10458941',
    amount: 10_000n,
    sponsoredFee: 0n,
    advance: false,
    requirementsDigest: 'bb'.repeat(32),
    group: new Uint8Array(600),
  };
}

/** The store; what one of its methods answers is counted. */
function counting(store: SettlementStore, method: keyof SettlementStore, count: (answer: unknown) => void) {
  return new Proxy(store, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== method) return member.bind(target);
      return async (...parameters: unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(member, target, parameters);
        count(answer);
        return answer;
      };
    },
  });
}
