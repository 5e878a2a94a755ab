import { type ChannelCredit, hasReceived } from '@avm402/avm/batch-settlement/server/record';
import { deferred } from '@avm402/core/deferred';
import { isX402Error } from '@avm402/core/errors';
import { storing } from '../../stores/storing.ts';
import type { Channel, ChannelRequest, RequestBuyer } from './channel.ts';
import { type AdmissionRefusal, isSettled } from './channel-record.ts';
import type { ChannelStep, ChargeStep, HighestVoucher } from './channel-step.ts';
import type { RememberedRequest } from './channel-store.ts';
import { KeptRecord, type KeptRecordContext } from './kept-record.ts';

export interface LiveChannelContext extends KeptRecordContext {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A voucher that is meant to pay for a request. Its signature has been checked. */
export interface AskedAdmission extends HighestVoucher {
  /** Most that the request may cost, atomic units. */
  readonly maximum: bigint;
  readonly buyer?: RequestBuyer;
}

/** A request that was admitted. A charge is on record when its promise resolves; then the answer may leave. */
export interface AdmittedRequest {
  readonly amount: bigint;
  readonly maximum: bigint;
  readonly buyer?: RequestBuyer;
  /** Resolves when the request has ended, charged or not. */
  readonly ended: Promise<void>;
  /** Charges a part, and goes on. */
  charge(cost: bigint): Promise<Channel>;
  /** Charges the last part, and ends. `response` is kept for its buyer. */
  end(cost: bigint, response?: ChannelRequest['response']): Promise<Channel>;
  /** Ends without a further charge. Does nothing if the request has ended. */
  release(): void;
}

/**
 * A channel as this process knows it: what is on record, and what is under way. Requests are admitted here without
 * asking the store, but nothing is answered before its charge is on record.
 */
export class LiveChannel {
  readonly #context: LiveChannelContext;
  readonly #record: KeptRecord;
  #isClosing = false;
  readonly #underWay = new Map<bigint, AdmittedRequest>();
  readonly #paymentIds = new Map<string, bigint>();

  constructor(row: Channel, remembered: readonly RememberedRequest[], context: LiveChannelContext) {
    this.#context = context;
    this.#record = new KeptRecord(row, remembered, context);
  }

  /** What is on record, as far as this process knows. */
  get row(): Channel {
    return this.#record.now.row;
  }

  /** The channel's money, including what is under way and what waits to be recorded. */
  get credit(): ChannelCredit {
    return this.#record.now.credit;
  }

  get highest(): HighestVoucher | undefined {
    return this.#record.now.highest;
  }

  /** Whether nothing would be lost if the channel were loaded again. */
  get isIdle(): boolean {
    return isSettled(this.#record.now) && !this.isDoubtful && this.#underWay.size === 0;
  }

  /** Whether the state on record is unknown, and nobody is finding it out. */
  get isDoubtful(): boolean {
    return isSettled(this.#record.now) && this.#record.now.doubtful.size > 0;
  }

  /** The request under way that came with this amount. */
  underWay(amount: bigint): AdmittedRequest | undefined {
    return this.#underWay.get(amount);
  }

  /** Whether a voucher over this amount has come before. */
  hasReceived(amount: bigint): boolean {
    return hasReceived(this.credit, amount);
  }

  /** The amount of the request that came with a payment id. */
  amountOf(paymentId: string): bigint | undefined {
    const amount = this.#paymentIds.get(paymentId) ?? this.#record.now.paymentIds.get(paymentId);
    return amount !== undefined && amount >= this.row.floor ? amount : undefined;
  }

  /**
   * Makes sure that the row is the one on record, if that is in doubt.
   * @throws X402Error `store_unavailable`
   */
  async fresh(): Promise<void> {
    if (this.#record.now.knowledge !== 'known') await this.#record.refresh();
  }

  /**
   * Reads the record again.
   * @throws X402Error `store_unavailable`
   */
  refresh(): Promise<void> {
    return this.#record.refresh();
  }

  /** Admits a request by a voucher. */
  admit({ buyer, ...voucher }: AskedAdmission): AdmittedRequest | AdmissionRefusal {
    const { amount, maximum } = voucher;
    const refusal = this.#isClosing ? 'channel_closed' : this.#record.admit(voucher);
    if (refusal !== undefined) return refusal;
    const request = this.#admitted(amount, maximum, buyer);
    this.#underWay.set(amount, request);
    this.#forgetPaymentIds();
    if (buyer !== undefined) this.#paymentIds.set(buyer.paymentId, amount);
    return request;
  }

  /**
   * Resolves with the row once a settled deposit is counted; each TxID is counted once.
   * @throws X402Error `store_unavailable`, `invalid_batch_settlement_avm_channel_closed`
   */
  async deposit(txId: string, amount: bigint): Promise<Channel> {
    if (!(await storing(() => this.#context.store.hasDeposit(txId)))) {
      return this.#record.add({ kind: 'deposit', txId, amount });
    }
    await this.#record.refresh();
    return this.row;
  }

  /** Admits nothing more. Resolves when what is under way has ended, or when its time is over. */
  async drain(maxWaitMs: number): Promise<void> {
    this.#isClosing = true;
    const ended = Promise.all([...this.#underWay.values()].map((request) => request.ended));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, maxWaitMs)))]);
    clearTimeout(timer);
  }

  /** Admits requests again, because the closing could not be recorded. */
  reopen(): void {
    this.#isClosing = false;
  }

  /**
   * Resolves with the row once the step is on record.
   * @throws X402Error `store_unavailable`
   */
  record(step: Exclude<ChannelStep, ChargeStep>): Promise<Channel> {
    return this.#record.add(step);
  }

  #admitted(amount: bigint, maximum: bigint, buyer: RequestBuyer | undefined): AdmittedRequest {
    let total = 0n;
    let hasEnded = false;
    const ended = deferred<void>();
    const leave = (): void => {
      this.#underWay.delete(amount);
      ended.resolve();
    };
    const add = async (cost: bigint, response?: ChannelRequest['response']): Promise<Channel> => {
      total += cost;
      const { owner, now } = this.#context;
      const charged = { amount, charge: total, owner, ...(buyer && { buyer }), ...(response && { response }) };
      try {
        return await this.#record.add({ kind: 'charge', request: charged, cost, at: now() });
      } catch (error) {
        if (!isX402Error(error, 'store_unavailable')) throw error;
        total -= cost;
        if (total === 0n) this.#freePaymentId(buyer);
        throw error;
      }
    };
    const free = (): void => {
      hasEnded = true;
      this.#record.release(amount);
    };
    return {
      amount,
      maximum,
      ...(buyer && { buyer }),
      ended: ended.promise,
      charge: (cost) => add(cost),
      end: async (cost, response) => {
        try {
          const recorded = add(cost, response);
          free();
          return await recorded;
        } finally {
          leave();
        }
      },
      release: () => {
        if (hasEnded) return;
        free();
        if (total === 0n) this.#freePaymentId(buyer);
        leave();
      },
    };
  }

  /** A request that was not charged may be made again, with another voucher. */
  #freePaymentId(buyer: RequestBuyer | undefined): void {
    if (buyer !== undefined) this.#paymentIds.delete(buyer.paymentId);
  }

  /** Drops the payment ids of requests that are forgotten. */
  #forgetPaymentIds(): void {
    for (const [paymentId, amount] of this.#paymentIds) {
      if (amount >= this.row.floor) break;
      this.#paymentIds.delete(paymentId);
    }
  }
}
