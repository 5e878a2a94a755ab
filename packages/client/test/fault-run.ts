import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createPayingFetch, settlementOf, type JournalEntry } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { startChain } from './chain.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { lyingAnswers } from './lying-seller.ts';
import { seededRandom } from './random.ts';
import { startSeller } from './seller.ts';
import { payer } from './stage.ts';

export interface FaultRunOptions {
  readonly requests: number;
  readonly seed: number;
  /** Budget of an hour, in dollars. */
  readonly perHour: string;
  readonly atOnce: number;
  /** Pay at the first try, whatever the price is by now. */
  readonly preempt?: boolean;
}

export interface FaultRun {
  /** Requests that got what they paid for. */
  readonly served: number;
  /** Refused for the budget. */
  readonly refused: number;
  readonly debits: number;
  readonly cuts: number;
}

const TRIES = 3;
/** Path of the request for which something happens. */
const current = new AsyncLocalStorage<string>();

/**
 * Many requests, each tried up to three times, through a proxy that cuts connections, at a seller that lies. Read from
 * the blocks afterwards: no request was debited twice, the budget holds, and the journal explains every debit.
 */
export async function faultRun(options: FaultRunOptions): Promise<FaultRun> {
  const { requests, seed, perHour, atOnce, preempt = false } = options;
  const random = seededRandom(seed);
  const chain = await startChain();
  const seller = await startSeller(lyingAnswers(chain, random));
  const proxy = await startCuttingProxy({ target: seller.url, random, averageBytes: 8_000 });
  const folder = await mkdtemp(join(tmpdir(), 'avm402-fault-'));
  const journal = await openFileJournal(join(folder, 'payments.jsonl'));
  const paths = new Map<string, string>();
  const stories: string[] = [];
  const fetchPaid = createPayingFetch({
    account: payer,
    networks: { 'algorand:*': chain.algod },
    spend: { perHour },
    journal,
    recoverMs: 600,
    preempt,
    onPayment: ({ txId }) => void paths.set(txId, current.getStore() ?? ''),
  });
  let next = 0;
  let served = 0;
  let refused = 0;
  const work = async (): Promise<void> => {
    while (next < requests) {
      const path = `/request?${next++}`;
      const tell = (line: string): void => void stories.push(`${path} ${line}`);
      const outcome = await current.run(path, () => tryRequest(fetchPaid, proxy.url + path, tell));
      if (outcome === 'served') served++;
      if (outcome === 'spend_limit_exceeded') refused++;
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
    // What was kept back is submitted now, if it still can be.
    const payments = seller.seen.flatMap(({ payment }) => payment ?? []);
    await Promise.all(payments.map((payment) => chain.settle(payment).catch(() => {})));
    const debited = await chain.confirmed();
    expect(new Set(debited).size).toBe(debited.length);
    const entries = await journal.read();
    expect(debitedTwice(debited, paths, stories, entries)).toEqual([]);
    const left = sentIn(entries);
    for (const txId of debited) expect(left.has(txId), `${txId} is in the journal`).toBe(true);
    const spent = debited.reduce((sum, txId) => sum + (left.get(txId) ?? 0n), 0n);
    expect(spent).toBeLessThanOrEqual(BigInt(Math.round(Number(perHour.slice(1)) * 1_000_000)));
    return { served, refused, debits: debited.length, cuts: proxy.cuts };
  } finally {
    await proxy.stop();
    await seller.stop();
    await chain.stop();
    await journal.close();
    await rm(folder, { recursive: true });
  }
}

/** What is known of the requests that were debited more than once: the answers, and the journal. */
function debitedTwice(
  debited: readonly string[],
  paths: ReadonlyMap<string, string>,
  stories: readonly string[],
  entries: readonly JournalEntry[],
): unknown[] {
  const twice = debited.map((txId) => paths.get(txId)).filter((path, index, all) => all.indexOf(path) !== index);
  const ofPath = (entry: JournalEntry): string | undefined =>
    paths.get(entry.event === 'sent' ? entry.payment.txId : entry.txId);
  return twice.map((path) => ({
    story: stories.filter((line) => line.startsWith(`${path} `)),
    journal: entries.filter((entry) => ofPath(entry) === path),
  }));
}

async function tryRequest(fetchPaid: typeof fetch, url: string, tell: (line: string) => void): Promise<string> {
  let outcome = '';
  for (let attempt = 0; attempt < TRIES && outcome !== 'served'; attempt++) {
    try {
      const response = await fetchPaid(url);
      tell(`${response.status} ${settlementOf(response)?.transaction}`);
      await response.arrayBuffer();
      outcome = response.ok ? 'served' : String(response.status);
    } catch (error) {
      outcome = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      tell(outcome);
    }
  }
  return outcome;
}

/** Amounts by TxID of what the journal says has left. */
function sentIn(entries: readonly JournalEntry[]): Map<string, bigint> {
  return new Map(
    entries.flatMap((entry) => (entry.event === 'sent' ? [[entry.payment.txId, entry.payment.amount]] : [])),
  );
}
