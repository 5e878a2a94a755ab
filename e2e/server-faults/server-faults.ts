import { setTimeout as sleep } from 'node:timers/promises';
import { createAlgodClient } from '@avm402/algorand/algod';
import { PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import type { DevelopmentAccountName } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { type Debit, readDebits } from '../debits.ts';
import { total } from '@avm402/testkit/faults';
import { ourBuyer, stockBuyer } from './buyers.ts';
import { type Evidence, findViolations, unserved } from './evidence.ts';
import { type Market, openMarket } from './market.ts';
import { createWitness, type Witness } from './witness.ts';

export interface ServerFaultsOptions {
  readonly seed: number;
  /** Half of them by our client, half by the stock one. */
  readonly requests: number;
  readonly atOnce: number;
}

export interface ServerFaultsReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const PRICE = 1_000n;
const PROGRESS_MS = 3_000;
const GIVE_UP_MS = 60_000;
const OUR_PAYERS: readonly DevelopmentAccountName[] = ['payer', 'payer2', 'payer3'];
const STOCK_PAYERS: readonly DevelopmentAccountName[] = ['payer4', 'payer5', 'payer6'];

/** Buys through faulty lines, goes once more for what was paid for and did not come, and asks the blocks. */
export async function runServerFaults(options: ServerFaultsOptions): Promise<ServerFaultsReport> {
  const startedAt = performance.now();
  console.log({ seed: options.seed });
  const market = await openMarket(options.seed);
  const witness = createWitness();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
  const progress = setInterval(() => console.log(progressLine(market, witness, seconds())), PROGRESS_MS);
  try {
    const failures = await buyAll(options, market, witness);
    const debits = await finalDebits(market, witness);
    const missing = unserved(await evidenceOf(market, witness, debits));
    market.calm();
    for (const { order, header } of missing) await collect(`${market.url}/goods/${order}`, header, witness);
    const evidence = await evidenceOf(market, witness, debits);
    const counts = {
      seed: options.seed,
      seconds: seconds(),
      requests: options.requests,
      failures,
      payments: evidence.proofs.length,
      debits: debits.length,
      handlerRuns: evidence.runs.length,
      deliveries: evidence.deliveries.length,
      servedByRetry: missing.length,
      clientFaults: total(market.clientFaults),
      facilitatorFaults: total(market.facilitatorFaults),
    };
    return { counts, violations: findViolations(evidence) };
  } finally {
    clearInterval(progress);
    await market.stop();
  }
}

/** How many requests did not end in a 200. */
async function buyAll({ requests, atOnce }: ServerFaultsOptions, market: Market, witness: Witness): Promise<number> {
  const buyers = [
    ...OUR_PAYERS.map((name) => ourBuyer({ name, nodeUrl: market.nodeUrl, fetch: witness.fetch })),
    ...STOCK_PAYERS.map((name) => stockBuyer({ name, nodeUrl: market.nodeUrl, fetch: witness.fetch })),
  ];
  let next = 0;
  let failures = 0;
  const buyOneAfterAnother = async (): Promise<void> => {
    while (next < requests) {
      const order = next++;
      const buy = buyers[order % buyers.length] ?? fetch;
      const isServed = await buy(`${market.url}/goods/${order}`)
        .then(isComplete)
        .catch(() => false);
      if (!isServed) failures++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, buyOneAfterAnother));
  await witness.settled();
  return failures;
}

async function isComplete(response: Response): Promise<boolean> {
  await response.arrayBuffer();
  return response.status === 200;
}

/** The blocks' debits, once no payment is on its way any more. */
async function finalDebits({ facilitatorUrl, nodeUrl }: Market, { proofs }: Witness): Promise<Debit[]> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (const { txId } of proofs) {
    while (performance.now() < deadline && (await isOnItsWay(facilitatorUrl, txId))) await sleep(500);
  }
  return readDebits(createAlgodClient({ url: nodeUrl, token: NODE_TOKEN }));
}

/** Presents a payment for as long as its shop doesn't know what became of it. */
async function collect(url: string, header: string, witness: Witness): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const answer = await witness.fetch(url, { headers: { [PAYMENT_SIGNATURE_HEADER]: header } });
    await answer.arrayBuffer();
    if (answer.status !== 503 || performance.now() > deadline) return;
    await sleep(500);
  }
}

async function isOnItsWay(facilitatorUrl: string, txId: string): Promise<boolean> {
  const response = await fetch(`${facilitatorUrl}/settlements/${txId}`);
  const { state } = (await response.json()) as { readonly state?: string };
  return state === 'recorded' || state === 'submitted';
}

async function evidenceOf(market: Market, witness: Witness, debits: readonly Debit[]): Promise<Evidence> {
  await witness.settled();
  const { proofs, deliveries } = witness;
  return { proofs, deliveries, runs: await market.runs(), debits, price: PRICE, payTo: market.payTo };
}

function progressLine(market: Market, { proofs, deliveries }: Witness, seconds: number): string {
  const faults = total(market.clientFaults);
  return `${seconds} s: ${proofs.length} payments, ${deliveries.length} deliveries, ${faults} faults`;
}
