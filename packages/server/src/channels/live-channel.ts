import {
  admit,
  type ChannelCredit,
  charge,
  chargePart,
  type CreditRefusal,
  hasCome,
  REMEMBERED_AMOUNTS,
  remembering,
  withdraw,
} from '@avm402/avm/batch-settlement';
import type { X402ErrorCode } from '@avm402/core/errors';
import { storing } from '../redemption/claim.ts';
import type { Channel, ChannelRequest, RequestBuyer } from './channel.ts';
import { ChannelRecord, type ChannelRecordContext, type RecordHolder } from './channel-record.ts';
import type { ChannelStep, ChargeStep, HighestVoucher } from './channel-step.ts';
import type { RememberedRequest } from './channel-store.ts';

export interface LiveChannelContext extends ChannelRecordContext {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A voucher that is to pay for a request; its signature is checked. */
export interface AskedAdmission extends HighestVoucher {
  /** Most that the request may cost, atomic units. */
  readonly maximum: bigint;
  readonly buyer?: RequestBuyer;
}

/** A request that was admitted. Its charges are on record when their promise resolves; then its answer may leave. */
export interface AdmittedRequest {
  readonly amount: bigint;
  readonly maximum: bigint;
  readonly buyer?: RequestBuyer;
  /** Resolves when it has ended, charged or not. */
  readonly ended: Promise<void>;
  /** Charges a part, and goes on. */
  charge(cost: bigint): Promise<Channel>;
  /** Charges the last part, and ends. `response` is kept for its buyer. */
  end(cost: bigint, response?: ChannelRequest['response']): Promise<Channel>;
  /** Ends without a further charge, unless it has ended. */
  release(): void;
}

export type AdmissionRefusal = CreditRefusal | 'channel_closed';

/** Requests are forgotten so many at once: a store pays for each time, and hardly for each request. */
const VERSIONS_A_FLOOR = 64;

/**
 * A channel as this process knows it: what is on record, and what is under way. Requests are admitted here without asking
 * the store; nothing is answered before its charge is on record.
 */
export class LiveChannel {
  readonly #context: LiveChannelContext;
  readonly #record: ChannelRecord;
  #credit: ChannelCredit;
  #highest: HighestVoucher | undefined;
  #isClosing = false;
  readonly #underWay = new Map<bigint, AdmittedRequest>();
  readonly #paymentIds = new Map<string, bigint>();
  /** Amounts under way here that another server has charged. */
  readonly #takenElsewhere = new Set<bigint>();
  #whenDrained: (() => void)[] = [];

  constructor(row: Channel, remembered: readonly RememberedRequest[], context: LiveChannelContext) {
    this.#context = context;
    this.#record = new ChannelRecord(row, this.#holder(), context);
    const { balance, authorized, charged, floor } = row;
    this.#credit = { balance, authorized, charged, reserved: [], seen: [], floor };
    this.#remember(remembered);
    this.#recount();
  }

  /** What is on record, as far as this process knows. */
  get row(): Channel {
    return this.#record.row;
  }

  /** With what is under way and waits to be on record. */
  get credit(): ChannelCredit {
    return this.#credit;
  }

  /** The voucher over the most. */
  get highest(): HighestVoucher | undefined {
    return this.#highest;
  }

  /** Whether nothing would be lost if it were loaded anew. */
  get isIdle(): boolean {
    return this.#record.isCertain && this.#underWay.size === 0;
  }

  /** Whether it is not known what is on record, and nobody is finding out. */
  get isDoubtful(): boolean {
    return this.#record.isSettled && !this.#record.isCertain;
  }

  /** The request under way that came with this amount. */
  underWay(amount: bigint): AdmittedRequest | undefined {
    return this.#underWay.get(amount);
  }

  /** Whether a voucher over this amount came before. */
  hasCome(amount: bigint): boolean {
    return hasCome(this.#credit, amount);
  }

  /** The amount of the request that came with a payment id. */
  amountOf(paymentId: string): bigint | undefined {
    return this.#paymentIds.get(paymentId);
  }

  /**
   * Sees to it that the row is the one on record, if there is doubt about it.
   * @throws X402Error `store_unavailable`
   */
  fresh(): Promise<void> {
    return this.#record.fresh();
  }

  /**
   * Reads the record again.
   * @throws X402Error `store_unavailable`
   */
  refresh(): Promise<void> {
    return this.#record.refresh();
  }

  /** Admits a request by a voucher. */
  admit({ maximum, buyer, ...voucher }: AskedAdmission): AdmittedRequest | AdmissionRefusal {
    const { amount } = voucher;
    if (this.#isClosing || this.row.state !== 'open') return 'channel_closed';
    if (amount < this.row.floor) return 'cumulative_amount_mismatch';
    const next = admit(this.#credit, { amount, maximum });
    if (typeof next === 'string') return next;
    this.#credit = next;
    if (this.#highest === undefined || amount > this.#highest.amount) this.#highest = voucher;
    const request = this.#admitted(amount, maximum, buyer);
    this.#underWay.set(amount, request);
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

  /** Admits nothing more; resolves when what is under way has ended, or has had its time. */
  async drain(maxWaitMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.#record.isSettled && this.#underWay.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxWaitMs);
      this.#whenDrained.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Admits requests again: it could not be put on record that the channel is closing. */
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

  #holder(): RecordHolder {
    const floor = (): bigint => this.#floor();
    const highest = (): HighestVoucher | undefined => this.#highest;
    return {
      get highest() {
        return highest();
      },
      get floor() {
        return floor();
      },
      veto: (step) => this.#veto(step),
      loaded: (remembered) => this.#remember(remembered),
      changed: () => this.#recount(),
      failed: (step) => this.#forget(step),
    };
  }

  #veto(step: ChannelStep): X402ErrorCode | undefined {
    const isTaken = step.kind === 'charge' && this.#takenElsewhere.has(step.request.amount);
    return isTaken ? 'invalid_batch_settlement_avm_channel_busy' : undefined;
  }

  #admitted(amount: bigint, maximum: bigint, buyer: RequestBuyer | undefined): AdmittedRequest {
    let total = 0n;
    let hasEnded = false;
    let finish: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const leave = (): void => {
      this.#underWay.delete(amount);
      this.#takenElsewhere.delete(amount);
      finish();
      this.#tellDrained();
    };
    const add = (cost: bigint, response?: ChannelRequest['response']): Promise<Channel> => {
      total += cost;
      const { owner, now } = this.#context;
      const charged = { amount, charge: total, owner, ...(buyer && { buyer }), ...(response && { response }) };
      return this.#record.add({ kind: 'charge', request: charged, cost, at: now() });
    };
    return {
      amount,
      maximum,
      ...(buyer && { buyer }),
      ended,
      charge: (cost) => {
        this.#credit = chargePart(this.#credit, amount, cost);
        return add(cost);
      },
      end: async (cost, response) => {
        this.#credit = charge(this.#credit, amount, cost);
        hasEnded = true;
        try {
          return await add(cost, response);
        } finally {
          leave();
        }
      },
      release: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#credit = charge(this.#credit, amount, 0n);
        if (total === 0n) this.#freePaymentId(buyer);
        leave();
      },
    };
  }

  /** A request that was told that the store fails: its voucher may come again. */
  #forget(step: ChannelStep): void {
    if (step.kind !== 'charge') return;
    const { amount, buyer, charge: total } = step.request;
    const goesOn = this.#credit.reserved.some(({ id }) => id === amount);
    // What was charged before this part stays charged.
    if (goesOn || total > step.cost) return;
    this.#credit = withdraw(this.#credit, amount);
    this.#freePaymentId(buyer);
  }

  /** A request that was not charged may be made anew, with another voucher. */
  #freePaymentId(buyer: RequestBuyer | undefined): void {
    if (buyer !== undefined) this.#paymentIds.delete(buyer.paymentId);
  }

  /** Takes over the requests that are on record, beside those that this process has under way. */
  #remember(remembered: readonly RememberedRequest[]): void {
    const { authorized, signature } = this.row;
    if (signature && authorized > (this.#highest?.amount ?? 0n)) this.#highest = { amount: authorized, signature };
    for (const { amount, owner, paymentId } of remembered) {
      if (paymentId !== undefined) this.#paymentIds.set(paymentId, amount);
      if (owner !== this.#context.owner && this.#underWay.has(amount)) this.#takenElsewhere.add(amount);
    }
    const seen = new Set([...this.#credit.seen, ...remembered.map(({ amount }) => amount)]);
    const sorted = [...seen].toSorted((one, other) => (one < other ? -1 : 1));
    this.#credit = { ...this.#credit, ...remembering(this.#credit, sorted) };
  }

  /** The row's money, with what waits to be on record. */
  #recount(): void {
    const { balance, authorized, charged } = this.row;
    const highest = this.#highest?.amount ?? 0n;
    this.#credit = {
      ...this.#credit,
      balance,
      authorized: highest > authorized ? highest : authorized,
      charged: charged + this.#record.waitingCost,
    };
    this.#tellDrained();
  }

  /** What is under way stays above it: its row must not be forgotten before it is known to have been written. */
  #floor(): bigint {
    const { seen } = this.#credit;
    const { floor, version } = this.row;
    if (seen.length < REMEMBERED_AMOUNTS || version % VERSIONS_A_FLOOR !== 0) return floor;
    const lowest = [seen[0] ?? 0n, ...this.#underWay.keys()].reduce((one, other) => (one < other ? one : other));
    if (lowest <= floor) return floor;
    for (const [paymentId, amount] of this.#paymentIds) {
      if (amount >= lowest) break;
      this.#paymentIds.delete(paymentId);
    }
    return lowest;
  }

  #tellDrained(): void {
    if (this.#underWay.size > 0 || !this.#record.isSettled) return;
    for (const drained of this.#whenDrained.splice(0)) drained();
  }
}
