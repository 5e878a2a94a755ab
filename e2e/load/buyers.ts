import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type AnswerKind, callSettle } from '../chaos/answers.ts';
import type { PaidOrder } from '../chaos/oracle.ts';
import { type Order, RICH_PAYERS, SELLERS } from '../chaos/orders.ts';
import { Patience } from '../chaos/patience.ts';
import { settleBody, USDC, type Wallets } from '../chaos/wallets.ts';

/** A payment of the load, how to ask for it again, and when its caller began and knew, in milliseconds of one clock. */
export interface LoadedOrder extends PaidOrder {
  readonly body: string;
  readonly key: string;
  readonly startedAt: number;
  readonly knownAt: number;
}

export interface BuyersOptions {
  readonly wallets: Wallets;
  /** Who pays the fees. */
  readonly feePayer: string;
  /** Origins of the replicas that run, in random order. */
  readonly urls: () => readonly string[];
}

const CALL_TIMEOUT_MS = 12_000;
/** What `Retry-After` asks for in seconds, halved. */
const PAUSE_MS = 1_000;
const OPEN: readonly AnswerKind[] = ['unknown', 'pending', 'rejected'];

/** Sponsored payments of one size, of all payers and to all sellers in turn. */
export function ordersOf(count: number): Order[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    sponsored: true,
    seller: number % SELLERS,
    amount: 1_000n,
    maxTimeoutSeconds: 60,
    payer: { poor: false, index: number % RICH_PAYERS },
    callers: [],
  }));
}

/** Pays orders as a seller does that insists: the same call with its key at any replica, until there is an outcome. */
export class Buyers {
  readonly #options: BuyersOptions;
  readonly #patience = new Patience();

  constructor(options: BuyersOptions) {
    this.#options = options;
  }

  async pay(order: Order): Promise<LoadedOrder> {
    const { wallets, feePayer } = this.#options;
    const payment = await wallets.pay(order, feePayer);
    const body = settleBody(payment);
    const key = `the key of order ${order.number}`;
    const startedAt = performance.now();
    const answers = await this.#insist(body, key);
    return {
      body,
      key,
      txId: payment.created.txId,
      payer: payment.payer,
      receiver: payment.requirements.payTo,
      assetId: USDC,
      amount: order.amount,
      answers,
      everybodyKnows: answers.some(({ kind }) => !OPEN.includes(kind)),
      startedAt,
      knownAt: performance.now(),
    };
  }

  async #insist(body: string, key: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (!this.#patience.isOver) {
      const [url = ''] = this.#options.urls();
      const answer = await callSettle({ url, body, key, timeoutMs: CALL_TIMEOUT_MS });
      answers.push(answer);
      if (!OPEN.includes(answer.kind)) {
        this.#patience.renew();
        break;
      }
      await sleep(PAUSE_MS);
    }
    return answers;
  }
}
