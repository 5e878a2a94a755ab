import { randomBytes } from 'node:crypto';
import { postgresSettlementStore, sqliteSettlementStore, type NewSettlement } from '@avm402/facilitator';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { fillPostgres, fillSqlite } from '../harness/fill-store.ts';
import { driveLoad, type LoadResult } from '../harness/load.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import type { StoreJob } from '../harness/store-job.ts';
import { required } from '../harness/wiring.ts';

const { DATABASE_URL } = process.env;
const DAY_MS = 86_400_000;
const OLD = Date.now() - 100 * DAY_MS;
const owner = 'bench';

/** At a time long past the store's rows are made that are old enough to be removed. */
let clock = Date.now;
const options = { now: () => clock() };
const store =
  DATABASE_URL === undefined
    ? sqliteSettlementStore({ path: required('SETTLEMENT_STORE'), ...options })
    : postgresSettlementStore({ url: DATABASE_URL, ...options });
await store.open();

/** Connections of PostgreSQL wait for it, so several payments are under way; SQLite answers at once. */
const workers = DATABASE_URL === undefined ? 1 : 10;

const address = 'A'.repeat(58);

function settlement(): NewSettlement {
  return {
    txId: randomBytes(26).toString('hex').toUpperCase(),
    network: ALGORAND_TESTNET,
    round: 5000n,
    firstValid: 4000n,
    lastValid: 4100n,
    payer: address,
    signer: address,
    feePayer: address,
    payTo: address,
    asset: '10458941',
    amount: 10_000n,
    budgetedFee: 0n,
    keyHash: 'a'.repeat(64),
    requirementsDigest: 'b'.repeat(64),
    group: randomBytes(600),
  };
}

/** The store's part of one settlement, as the facilitator calls it. */
async function settleOne(): Promise<string> {
  const fresh = settlement();
  const { txId } = fresh;
  if ((await store.find(txId)) !== undefined) throw new Error('a new payment is known');
  const { outcome } = await store.record(fresh, { owner, leaseMs: 15_000 });
  const isDone =
    outcome === 'recorded' && (await store.submit(txId, owner)) && (await store.confirm(txId, owner, 4050n));
  if (!isDone || (await store.find(txId))?.state !== 'confirmed') throw new Error('the settlement was not kept');
  return txId;
}

async function fill(rows: number): Promise<LoadResult> {
  clock = () => OLD;
  const txId = await settleOne();
  clock = Date.now;
  if (DATABASE_URL !== undefined) await fillPostgres(DATABASE_URL, { txId, rows });
  else {
    await store.close();
    fillSqlite(required('SETTLEMENT_STORE'), { txId, rows });
    await store.open();
  }
  return { operations: rows, errors: {}, seconds: 0, latenciesMs: [] };
}

serveJobs(async ({ task, operations }: StoreJob) => {
  if (task === 'fill') return fill(operations);
  if (task === 'payments') return driveLoad({ workers, operations, operate: settleOne });
  return driveLoad({
    workers: 1,
    operations,
    operate: async () => {
      const removed = await store.prune({ before: Date.now() - 90 * DAY_MS, limit: 500 });
      if (removed !== 500) throw new Error(`${removed} rows removed instead of 500`);
    },
  });
});
