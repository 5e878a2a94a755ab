import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { settleOnce, type StubCall } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import { offer, offerAt, openShop, receiptIn, route, type Shop } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
/** More than any pause or lease: every request finds what the one before it left. */
const STEP_MS = 60_000;
const MAX_RUNS = 3;

/** What settle does, once it is asked: in truth, and what it says. */
type Settling = 'settles' | 'settles, then breaks' | 'breaks' | 'is not let in' | 'refuses' | 'submits, then rejects';

/** One request of the buyer. */
interface Step {
  readonly settling: Settling;
  readonly handlerStatus: 200 | 503;
}

const step: fc.Arbitrary<Step> = fc.record({
  settling: fc.constantFrom(
    'settles',
    'settles, then breaks',
    'breaks',
    'is not let in',
    'refuses',
    'submits, then rejects',
  ),
  handlerStatus: fc.constantFrom(200, 503),
});

const good: Step = { settling: 'settles', handlerStatus: 200 };

function answerOf({ stub }: Shop, settling: Settling, call: StubCall) {
  if (settling === 'settles') return settleOnce(stub, call);
  if (settling === 'is not let in') return { status: 401, body: { error: 'unauthorized' } };
  if (settling === 'settles, then breaks') settleOnce(stub, call);
  if (settling === 'settles, then breaks' || settling === 'breaks') return 'cut';
  // A facilitator that keeps records knows of what it has settled.
  if (stub.settled.has(call.txId)) return settleOnce(stub, call);
  const extra = settling === 'refuses' ? {} : { extra: { state: 'rejected' } };
  const refusal = { success: false, errorReason: 'settlement_rejected', transaction: call.txId, network: '' };
  return { body: { ...refusal, ...extra } };
}

interface Market {
  /** With which the last payment was settled, as far as the requests were let in. */
  readonly keys: ReadonlySet<string | undefined>;
  /** Lets a buyer present one payment step after step; how its requests were answered, and what was true by then. */
  readonly buy: (steps: readonly Step[]) => Promise<readonly Seen[]>;
}

interface Seen {
  readonly status: number;
  readonly isReceipt: boolean;
  /** Whether the payment is settled. */
  readonly isCharged: boolean;
  /** Runs of the handler that began after that. */
  readonly paidRuns: number;
}

async function openMarket({ flow, maxStoredBytes }: (typeof MARKETS)[number]): Promise<Market> {
  let now = Date.now();
  let current = good;
  let paidRuns = 0;
  const isCharged = (): boolean => shop.stub.settled.size > 0;
  const shop = await openShop({
    now: () => now,
    monotonicNow: () => now,
    settleTimeoutMs: 100,
    storedForMs: 1000 * STEP_MS,
    maxStoredBytes,
    routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: flow } } } },
    handlers: (app) =>
      void app.get('/report', (_request, response) => {
        if (isCharged()) paidRuns++;
        response.status(current.handlerStatus).end('report');
      }),
  });
  const keys = new Set<string | undefined>();
  shop.stub.onSettle = (call) => {
    if (current.settling !== 'is not let in') keys.add(call.idempotencyKey);
    return answerOf(shop, current.settling, call);
  };
  const url = `${shop.url}/report`;
  const required = await offerAt(url);
  const buy = async (steps: readonly Step[]): Promise<readonly Seen[]> => {
    shop.stub.settled.clear();
    keys.clear();
    paidRuns = 0;
    const headers = withPayment(pay(required, { paymentId: newId() }));
    const seen: Seen[] = [];
    for (current of steps) {
      now += STEP_MS;
      // With the connection over, nothing of an answer can be lost any more.
      const response = await fetch(url, { headers: { ...headers, Connection: 'close' } });
      await response.arrayBuffer();
      const isReceipt = receiptIn(response)?.success === true;
      seen.push({ status: response.status, isReceipt, isCharged: isCharged(), paidRuns });
    }
    return seen;
  };
  return { keys, buy };
}

/** By payment flow, and whether a response has room to be kept. */
export const MARKETS = [
  { flow: 'authorization', response: 'kept', maxStoredBytes: 1_000_000 },
  { flow: 'authorization', response: 'not kept', maxStoredBytes: 1 },
  { flow: 'upfront', response: 'kept', maxStoredBytes: 1_000_000 },
  { flow: 'upfront', response: 'not kept', maxStoredBytes: 1 },
] as const;

/** Lets so many payments go through whatever may happen, and checks what was answered and charged. */
export async function presentPayments(market: (typeof MARKETS)[number], numRuns: number): Promise<void> {
  const { keys, buy } = await openMarket(market);
  let served = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 7 }), async (steps) => {
      const seen = await buy([...steps, good, good, good]);
      for (const { status, isReceipt, isCharged } of seen) {
        if (status === 200) expect(isCharged).toBe(true);
        // Unknown is not unpaid: whoever is told to pay has not paid, or is shown the receipt.
        if (status === 402) expect(isReceipt).toBe(isCharged);
        if (isReceipt) expect(isCharged).toBe(true);
      }
      const last = seen.at(-1);
      const isServed = seen.some(({ status }) => status === 200);
      if (isServed) served++;
      if (last?.isCharged === true && !isServed) expect(last.paidRuns).toBe(MAX_RUNS);
      expect(last?.paidRuns).toBeLessThanOrEqual(MAX_RUNS);
      expect(last?.status).not.toBe(503);
      expect(keys.size).toBeLessThanOrEqual(1);
    }),
    { numRuns },
  );
  expect(served).toBeGreaterThan(0);
}
