import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAlgodClient } from '@avm402/algorand/algod';
import { checkPaymentOffline } from '@avm402/avm/exact/server';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';
import { developmentAccounts, startDevnode } from '@avm402/devnode';
import { startProgram, type Program } from '@avm402/stack/program';
import { type Fault, type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { seededRandom } from '../random.ts';
import { createBuyers, type Order, served } from './buyers.ts';

export interface FaultRunOptions {
  readonly seed: number;
  /** Orders are made until this many have carried a payment. */
  readonly payments: number;
  /** Orders under way at the same time. */
  readonly buyers: number;
  /** For a test of the oracle: the processes of the shop know nothing of each other's redemptions. */
  readonly hasSeparateStores?: boolean;
}

/** What a run came to. */
export interface FaultRun {
  readonly counts: {
    readonly orders: number;
    /** Orders that carried a payment. */
    readonly payments: number;
    /** Payments that are on chain. */
    readonly paid: number;
    readonly servedAtOnce: number;
    readonly servedByRetry: number;
    readonly handlerRuns: number;
    readonly faults: Readonly<Record<Fault, number>>;
  };
  /** What must never happen; each line names the order. */
  readonly violations: readonly string[];
}

const MAX_HANDLER_RUNS = 3;
/** Longer than any payment of the run is valid. */
const ROUNDS_TO_EXPIRY = 130;
const BLOCK_TIME_MS = 300;
const programs = {
  facilitator: fileURLToPath(new URL('../../packages/facilitator/bin/avm402-facilitator.js', import.meta.url)),
  shop: fileURLToPath(new URL('shop.ts', import.meta.url)),
};

/**
 * A shop of two processes on one store, behind lines that drop, delay and cut what is sent. Buyers order; then
 * everybody who was debited and not served asks once more with the same proof and payment id.
 */
export async function runWithFaults(options: FaultRunOptions): Promise<FaultRun> {
  const stage = await setStage(options);
  try {
    const orders = await orderAll(stage, options);
    await stage.node.mine(ROUNDS_TO_EXPIRY);
    return await judge(stage, orders);
  } finally {
    await stage.stop();
  }
}

async function setStage({ seed, hasSeparateStores = false }: FaultRunOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'redemption-'));
  const merchant = developmentAccounts().merchant.address;
  const node = await startDevnode({ port: 0, network: 'testnet', blocks: { everyMs: BLOCK_TIME_MS } });
  const facilitator = await startProgram({
    name: 'avm402-facilitator',
    command: [programs.facilitator],
    environment: {
      ALGOD_URL: node.url,
      ALGOD_TOKEN: node.token,
      AVM_PRIVATE_KEY: developmentAccounts().facilitator.privateKey,
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      SPONSOR_PAY_TO: merchant,
      PORT: '0',
    },
  });
  const toFacilitator = await faultyLine([facilitator.url], seed + 1);
  const startShop = (store: string): Promise<Program> =>
    startProgram({
      name: 'shop',
      command: ['--conditions=@avm402/source', programs.shop],
      environment: { FACILITATOR_URL: toFacilitator.url, STORE: join(folder, store), PAY_TO: merchant },
    });
  const shops = [await startShop('store.sqlite'), await startShop(hasSeparateStores ? 'other.sqlite' : 'store.sqlite')];
  const toShop = await faultyLine(
    shops.map(({ url }) => url),
    seed + 2,
  );
  const stop = async (): Promise<void> => {
    for (const part of [toShop, ...shops, toFacilitator, facilitator, node]) await part.stop();
    await rm(folder, { recursive: true });
  };
  return { node, shops, lines: [toShop, toFacilitator], url: toShop.url, stop };
}

type Stage = Awaited<ReturnType<typeof setStage>>;

const FAULTS: readonly [Fault, number][] = [
  ['drop-request', 0.05],
  ['drop-answer', 0.08],
  ['cut-answer', 0.05],
  ['delay', 0.05],
  ['refuse', 0.03],
  ['bad-gateway', 0.04],
];

/** Balances over the targets; every exchange may fail in one of six ways. */
function faultyLine(targets: readonly string[], seed: number): Promise<FaultProxy> {
  const random = seededRandom(seed);
  return startFaultProxy({
    targets: () => targets.toSorted(() => random() - 0.5),
    fault: () => {
      let draw = random();
      return FAULTS.find(([, rate]) => (draw -= rate) < 0)?.[0];
    },
  });
}

async function orderAll({ node, url }: Stage, { payments, buyers }: FaultRunOptions): Promise<readonly Order[]> {
  const made: Order[] = [];
  let [next, sent] = [0, 0];
  const work = async (buyer: Awaited<ReturnType<typeof createBuyers>>[number]): Promise<void> => {
    while (sent < payments) {
      const number = next++;
      const order = await buyer.order(number, `${url}/order/${number}`);
      if (order.header !== undefined) sent++;
      made.push(order);
    }
  };
  await Promise.all((await createBuyers(node, buyers)).map(work));
  return made;
}

async function judge(stage: Stage, orders: readonly Order[]): Promise<FaultRun> {
  const violations: string[] = [];
  const onChain = await transactionsOn(stage);
  let servedByRetry = 0;
  for (const order of orders) {
    const isPaid = order.header !== undefined && onChain.has(txIdOf(order.header));
    if (order.run !== undefined && !isPaid) violations.push(`${name(order)} was served and not debited`);
    if (!isPaid) continue;
    const run = await retry(stage, order);
    if (run === undefined) violations.push(`${name(order)} was debited, and a retry was not served`);
    else if (order.run === undefined) servedByRetry++;
    else if (run !== order.run) violations.push(`${name(order)} was served twice: ${order.run} and ${run}`);
  }
  const after = await transactionsOn(stage);
  if (after.size !== onChain.size) violations.push('retries have debited somebody');
  const runs = handlerRuns(stage.shops);
  for (const [number, count] of runs) {
    if (count > MAX_HANDLER_RUNS) violations.push(`the handler of order ${number} ran ${count} times`);
  }
  return { violations, counts: countsOf(stage, orders, { onChain, servedByRetry, runs }) };
}

/** Asks once more, past the faults, with the same proof and payment id. */
function retry({ shops }: Stage, { number, header = '' }: Order): Promise<string | undefined> {
  const shop = shops[number % shops.length];
  return served(() => fetch(`${shop?.url}/order/${number}`, { headers: { 'PAYMENT-SIGNATURE': header } }));
}

/** The ids of all transactions in all blocks. */
async function transactionsOn({ node }: Stage): Promise<ReadonlySet<string>> {
  const algod = createAlgodClient({ url: node.url, token: node.token });
  const found = new Set<string>();
  for (let round = 1n; round <= node.latestRound; round++) {
    for (const txId of await algod.blockTransactionIds(round)) found.add(txId);
  }
  return found;
}

function txIdOf(header: string): string {
  const payload = decodePaymentSignatureHeader(header);
  return checkPaymentOffline(payload, payload.accepted).txId;
}

function handlerRuns(shops: readonly Program[]): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const [, number = ''] of shops.flatMap((shop) => [...shop.output().matchAll(/^run (\d+) /gm)])) {
    runs.set(number, (runs.get(number) ?? 0) + 1);
  }
  return runs;
}

function countsOf(
  { lines }: Stage,
  orders: readonly Order[],
  found: { onChain: ReadonlySet<string>; servedByRetry: number; runs: ReadonlyMap<string, number> },
): FaultRun['counts'] {
  const faults = FAULTS.map(([fault]): [Fault, number] => [
    fault,
    lines.reduce((sum, { counts }) => sum + counts[fault], 0),
  ]);
  return {
    orders: orders.length,
    payments: orders.filter(({ header }) => header !== undefined).length,
    paid: orders.filter(({ header }) => header !== undefined && found.onChain.has(txIdOf(header))).length,
    servedAtOnce: orders.filter(({ run }) => run !== undefined).length,
    servedByRetry: found.servedByRetry,
    handlerRuns: [...found.runs.values()].reduce((sum, count) => sum + count, 0),
    faults: Object.fromEntries(faults) as Record<Fault, number>,
  };
}

function name({ number, whose }: Order): string {
  return `order ${number} (${whose} client)`;
}
