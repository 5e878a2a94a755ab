import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import { type SignedRequest, SigningChannel, resumeSpending } from '@avm402/avm/batch-settlement/client';
import type { ChannelDeposit, ChannelRecord } from './channel-record.ts';
import type { ChannelStore } from './channel-store.ts';

export interface BuyerChannelOptions {
  readonly record: ChannelRecord;
  readonly store: ChannelStore;
  /** Undefined if the session key is lost: then nothing can be signed. */
  readonly signer: Signer | undefined;
}

/** The number of requests whose amounts are put on record at once, so that they don't each wait for a write. */
const REQUESTS_A_WRITE = 256n;

/** How long a channel is left alone after its seller has refused it. */
const PAUSE_MS = 5_000;

/** A deposit that a request makes, while others wait for it. */
export interface DepositUnderWay {
  readonly end: () => void;
  readonly fail: (cause: unknown) => void;
}

/** One channel of the buyer: signs for it, learns what was charged, and keeps its record. */
export class BuyerChannel extends SigningChannel {
  readonly #store: ChannelStore;
  #record: ChannelRecord;
  #extending: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** The most that may have been signed before this process began, atomic units. */
  readonly #signedBefore: bigint;
  /** When its seller refused it, ms since 1970, and the reason. */
  #refusal: { readonly at: number; readonly why: string } | undefined;
  #depositing: Promise<void> | undefined;
  #seenAt: bigint;

  constructor({ record, store, signer }: BuyerChannelOptions) {
    const known = resumeSpending({ ...record, deposit: settledSum(record) });
    super(record.config, record.seed ? createSigner(record.seed) : signer, known);
    this.#record = record;
    this.#store = store;
    this.#signedBefore = record.signedUpTo;
    this.#seenAt = record.deposits.reduce((latest, { settledIn = 0n }) => greater(latest, settledIn), 0n);
  }

  get record(): ChannelRecord {
    return this.#record;
  }

  /** The deposit that left, but that the buyer's node has not shown in the channel. */
  get pending(): ChannelDeposit | undefined {
    return this.#record.deposits.find(({ settled }) => !settled);
  }

  /** The latest round in which the buyer's node has shown one of its deposits. */
  get seenAt(): bigint {
    return this.#seenAt;
  }

  /** The most that the seller can claim with the vouchers that left, atomic units. */
  get mostClaimable(): bigint {
    return greater(this.#signedBefore, this.spending.signed);
  }

  /** The reason why nothing is paid with it now; undefined if there is none. */
  refusedAt(now: number): string | undefined {
    const passed = this.#refusal ? now - this.#refusal.at : Infinity;
    // A clock that is set back ends it, too.
    return passed >= 0 && passed < PAUSE_MS ? this.#refusal?.why : undefined;
  }

  /** Pays nothing with it for five seconds from `at`, ms since 1970. */
  refuse(why: string, at: number): void {
    this.#refusal = { why, at };
  }

  /**
   * Signs for a request that may cost `maximum`; undefined if the deposit is too small. `coming` is the amount of a
   * deposit that is sent with the voucher. Resolves when it is on record that this much may have been signed.
   * @throws X402Error `channel_unavailable` without a session key; what the store throws
   */
  async sign(maximum: bigint, coming = 0n): Promise<SignedRequest | undefined> {
    const signed = this.signVoucher(maximum, coming);
    if (signed === undefined) return undefined;
    const amount = signed.voucher.maxClaimableAmount;
    const most = this.spending.deposit + coming;
    try {
      while (amount > this.#record.signedUpTo) await this.#reserveAhead(amount, maximum, most);
    } catch (error) {
      // The voucher has not left.
      this.learn(signed, { event: 'refused' });
      throw error;
    }
    return signed;
  }

  /**
   * Resolves when the deposit that is under way has its answer; rejects with the error that kept it from being made.
   */
  get depositing(): Promise<void> | undefined {
    return this.#depositing;
  }

  /**
   * Begins a deposit; only one request at a time makes one. That request ends the deposit when it has its answer, or
   * fails it for all that wait.
   */
  beginDeposit(): DepositUnderWay {
    const over = (): void => {
      if (this.#depositing === promise) this.#depositing = undefined;
    };
    let end = over;
    let fail: DepositUnderWay['fail'] = over;
    const promise = new Promise<void>((resolve, reject) => {
      end = () => (over(), resolve());
      fail = (cause) => (over(), reject(cause));
    });
    // If no request waits, the rejection must not go unhandled.
    promise.catch(() => {});
    this.#depositing = promise;
    return { end, fail };
  }

  /** Records a deposit that is about to leave. */
  async deposited(deposit: ChannelDeposit): Promise<void> {
    await this.#write((record) => withDeposit(record, deposit));
  }

  /** Records that the buyer's node has seen the deposit reach the channel, in this round. */
  async settled({ txId }: ChannelDeposit, round: bigint): Promise<void> {
    this.#seenAt = greater(this.#seenAt, round);
    if (this.pending?.txId !== txId) return;
    await this.#write(({ deposits }) => ({
      deposits: deposits.map((deposit) =>
        deposit.txId === txId ? { ...deposit, settled: true, settledIn: round } : deposit,
      ),
    }));
    this.hold(settledSum(this.#record));
  }

  /** Records that the deposit will never reach the channel. A channel that was never opened is closed. */
  async expired({ txId }: ChannelDeposit): Promise<void> {
    await this.#write(({ deposits, state }) => {
      const others = deposits.filter((deposit) => deposit.txId !== txId);
      return { deposits: others, state: others.length === 0 ? 'closed' : state };
    });
  }

  /** Pays nothing more with it. */
  async beginClosing(): Promise<void> {
    await this.#write(({ state }) => ({ state: state === 'closed' ? state : 'closing' }));
  }

  /** Records that it is paid out. Resolves to true for the one caller that records it. */
  async end(): Promise<boolean> {
    let isNews = false;
    await this.#write(({ state }) => {
      isNews = state !== 'closed';
      return { state: 'closed' };
    });
    return isNews;
  }

  /** Writes what is known now, unless that is on record, so that the next process has nothing to guess. */
  async save(): Promise<void> {
    const { underWay, charged, signed } = this.spending;
    if (underWay.length > 0 || this.#record.state !== 'open') return;
    const record = this.#record;
    const isKnown = record.charged === charged && record.signed === signed;
    const isOnRecord = isKnown && record.signedUpTo === this.mostClaimable;
    if (isOnRecord) return;
    await this.#write((latest) => {
      const signedUpTo = this.mostClaimable;
      // It holds while it is being written: a request that comes meanwhile has its amount written after it.
      this.#record = { ...latest, signedUpTo };
      return { signedUpTo };
    });
  }

  #reserveAhead(amount: bigint, maximum: bigint, most: bigint): Promise<void> {
    const ahead = amount + maximum * REQUESTS_A_WRITE;
    this.#extending ??= this.#write(() => ({ signedUpTo: ahead < most ? ahead : most })).finally(() => {
      this.#extending = undefined;
    });
    return this.#extending;
  }

  /** Writes one change after another, together with what is known of the channel's money. */
  #write(change: (record: ChannelRecord) => Partial<ChannelRecord>): Promise<void> {
    const written = this.#writeAfter(this.#writing, change);
    this.#writing = written.catch(() => {});
    return written;
  }

  async #writeAfter(before: Promise<void>, change: (record: ChannelRecord) => Partial<ChannelRecord>): Promise<void> {
    await before;
    const { charged, signed } = this.spending;
    // Another process may have signed more, as the seller has shown.
    const signedUpTo = greater(this.#record.signedUpTo, signed);
    const next = { ...this.#record, charged, signed, signedUpTo, ...change(this.#record) };
    await this.#store.write(next);
    this.#record = next;
  }
}

/**
 * The deposits of a channel, and one more. Of those that the seller can claim as a whole, only the first, which it is
 * shown if it forgets the channel, and the last are listed, so that no number of top-ups makes a record large.
 */
function withDeposit(
  { deposits, usedUp = { count: 0, amount: 0n }, signed }: Pick<ChannelRecord, 'deposits' | 'usedUp' | 'signed'>,
  added: ChannelDeposit,
): Pick<ChannelRecord, 'deposits' | 'usedUp'> {
  const [first, oldest, ...later] = deposits;
  const amount = usedUp.amount + (oldest?.amount ?? 0n);
  if (!first || !oldest?.settled || later.length === 0 || first.amount + amount > signed) {
    return { deposits: [...deposits, added], ...(usedUp.count > 0 && { usedUp }) };
  }
  return withDeposit({ deposits: [first, ...later], usedUp: { count: usedUp.count + 1, amount }, signed }, added);
}

function settledSum({ deposits, usedUp }: ChannelRecord): bigint {
  return deposits.reduce((sum, { settled, amount }) => (settled ? sum + amount : sum), usedUp?.amount ?? 0n);
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
