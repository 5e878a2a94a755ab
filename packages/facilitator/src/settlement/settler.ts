import { createHash } from 'node:crypto';
import { isRefusal, type SponsoredParties } from '@avm402/avm/sponsorship';
import { isX402Error, schemeCode, X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { SettleOptions } from './settle-options.ts';
import type { SettlementLimits } from './settlement-limits.ts';
import type { Chain } from '../chain/chain.ts';
import { isEnding } from './channel-move.ts';
import type { Log } from '../log/log.ts';
import { type OpenSettlementCounts, OpenSettlements, type Reservation } from './open-settlements.ts';
import { PendingSettlement } from './pending-settlement.ts';
import { PhaseTimes } from './phase-times.ts';
import { isFinal, type NewSettlement, schemeInCodes, type Settlement } from './settlement.ts';
import type { SettlementEnd } from './settlement-machine.ts';
import { newRow, type OrderFacts, type PreparedSettlement, type SettlementOrder } from './settlement-order.ts';
import type { Budget, RecordOutcome, SettlementStore } from './settlement-store.ts';
import { sleep } from '../sleep.ts';
import { type InTime, Waits } from './waits.ts';

export interface SettlerOptions {
  readonly store: SettlementStore;
  readonly chainOf: (network: string) => Chain;
  /** The budgets that pay for a sponsored settlement on a network. */
  readonly budgetsOf: (network: Network, parties: SponsoredParties) => readonly Budget[];
  /** Identifies this replica among those that share the store. */
  readonly owner: string;
  /** How long other replicas leave a row alone after its owner last renewed its lease. */
  readonly leaseMs: number;
  /** How long a caller waits for the outcome. */
  readonly settleTimeoutMs: number;
  /** How many settlements of one payer, or to one receiver, may begin. */
  readonly limits: SettlementLimits;
  /** Called when a node refused a settlement. */
  readonly onRejected: (settlement: Settlement) => void;
  /** Called when a settlement has ended here. */
  readonly onEnd: (end: SettlementEnd, times: PhaseTimes) => void;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A caller's claim on a settlement: the facts that must match before it is told the outcome. */
interface Claim {
  readonly order: SettlementOrder;
  readonly keyHash: string | undefined;
}

/** A row for its caller. */
export type SettledRow = Settlement & {
  /** The last round when a node of ours had it in its pool: it will be confirmed unless something comes before it. */
  readonly takenAt?: bigint;
};

/** How often to look at a row that another replica works on. */
const POLL_MS = 100;

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{16,255}$/;

/** Settles each payment once, however often it is asked to, and tells each caller its payment's outcome. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #pending = new Map<string, PendingSettlement>();
  readonly #waits: Waits;
  readonly #openSettlements = new OpenSettlements();
  /** Whether the store may hold rows of ours that nobody here works on, because a call to it failed. */
  #mayHaveLostRows = false;
  readonly #closed = new AbortController();

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#waits = new Waits(options.settleTimeoutMs);
  }

  /**
   * Settles a payment, or joins its settlement. Resolves with the row when its outcome is known, or with its state at
   * the timeout; with `respondAsync` also when a node has taken it into its pool.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async settle(
    order: SettlementOrder,
    { idempotencyKey, respondAsync = false, signal }: SettleOptions,
    inTime: InTime = (wait) => this.#waits.forOutcome(wait),
  ): Promise<SettledRow> {
    const claim = { order, keyHash: hashKey(idempotencyKey) };
    const { store } = this.#options;
    const settlement = (await store.find(order.txId)) ?? (await this.#verifyAndBegin(claim));
    assertClaim(settlement, claim);
    const { txId } = order;
    const waited = await inTime(
      async (enough) => (respondAsync ? await this.#taken(txId, enough) : undefined) ?? this.#outcome(txId, enough),
    );
    const outcome = waited ?? released(txId);
    // Meanwhile the row may have been released and written again for another caller.
    assertClaim(outcome, claim);
    return claim.keyHash === undefined && signal?.aborted !== true ? this.#handOutOnce(outcome) : outcome;
  }

  /**
   * Writes the row of a settlement and starts work on it, or returns the row that exists already. For the ending of a
   * channel that row may be another ending.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async begin(
    { settlement, ...bounds }: PreparedSettlement,
    keyHash?: string,
    times = new PhaseTimes(this.#options.now),
  ): Promise<Settlement> {
    const { store, owner, leaseMs } = this.#options;
    if (this.#closed.signal.aborted) throw new X402Error('shutting_down');
    const row = { ...settlement, ...(keyHash !== undefined && { keyHash }) };
    const reservation = this.#reserve(row);
    try {
      await this.#options.chainOf(row.network).lowered();
      const recorded = rowOf(await store.record(row, { owner, leaseMs, ...bounds }), row);
      times.end('record');
      if (recorded.isNew) this.#watch(recorded.settlement, times);
      return recorded.settlement;
    } catch (error) {
      // The row may have been written despite the error.
      if (isX402Error(error, 'store_unavailable')) this.#mayHaveLostRows = true;
      throw error;
    } finally {
      reservation.release();
    }
  }

  /** Takes up unfinished settlements that nobody works on, and renews the lease on those that are worked on here. */
  async resume(networks: readonly Network[]): Promise<void> {
    const { store, owner, leaseMs, log } = this.#options;
    const withOwn = this.#mayHaveLostRows;
    this.#mayHaveLostRows = false;
    const settlements = await store.takeOver({ owner, leaseMs, networks, withOwn }).catch((error: unknown) => {
      this.#mayHaveLostRows = true;
      throw error;
    });
    for (const settlement of settlements) {
      if (this.#pending.has(settlement.txId)) continue;
      log.info({ transaction: settlement.txId, state: settlement.state }, 'resuming a settlement');
      this.#watch(settlement, new PhaseTimes(this.#options.now));
    }
  }

  /**
   * The row once it has an answer, or its state when the caller has waited long enough.
   * @throws X402Error `payment_already_on_chain` when it was released
   */
  async outcome(txId: string, inTime: InTime): Promise<Settlement> {
    return (await inTime((enough) => this.#outcome(txId, enough))) ?? released(txId);
  }

  /** Waits for a caller: in all, those for several settlements are no longer than the wait for one. */
  inTime(): InTime {
    return this.#waits.inTime();
  }

  /**
   * The row of a settlement as soon as it has an answer, after `waitMs` at the latest; at once if too many callers wait
   * for it already. Undefined if there is none.
   */
  async recorded(txId: string, waitMs: number): Promise<Settlement | undefined> {
    const settlement = await this.#options.store.find(txId);
    if (settlement === undefined || isAnswer(settlement) || waitMs === 0) return settlement;
    const waited = this.#waits.forLookUp(txId, waitMs, (enough) => this.#outcome(txId, enough));
    return (await waited) ?? this.#options.store.find(txId);
  }

  /**
   * Refuses a payment whose lease another one holds that is under way: only one of the two could be confirmed.
   * @throws X402Error `invalid_exact_avm_lease_held`, `store_unavailable`
   */
  async checkLeaseIsFree({ txId, network, payer, lease }: OrderFacts): Promise<void> {
    if (lease === undefined) return;
    const round = this.#options.chainOf(network).pool.lastRound;
    const holder = await this.#options.store.leaseHolder({ network, payer, lease, round });
    if (holder !== undefined && holder !== txId) throw leaseHeld();
  }

  /** The numbers of settlements that are worked on here. */
  openCounts(): OpenSettlementCounts {
    const all = [...this.#pending.values()];
    const waiting = all.filter(({ isRefused }) => !isRefused);
    const oldest = waiting.reduce((earliest, { recordedAt }) => Math.min(earliest, recordedAt), this.#options.now());
    const oldestPendingSeconds = Math.floor((this.#options.now() - oldest) / 1000);
    return { pending: waiting.length, oldestPendingSeconds, refused: all.length - waiting.length };
  }

  /** A development node went back to a lower round. */
  wentBack(): void {
    for (const pending of this.#pending.values()) pending.wentBack();
  }

  /** Ends all waits, now and later: callers are told that the outcome is open. */
  stopWaiting(): void {
    this.#waits.stop();
  }

  /** Stops working. Unfinished settlements stay in the store. */
  close(): void {
    this.stopWaiting();
    this.#closed.abort();
  }

  /** Verifies and begins the settlement, unless another caller did so meanwhile. */
  async #verifyAndBegin({ order, keyHash }: Claim): Promise<Settlement> {
    const times = new PhaseTimes(this.#options.now);
    try {
      const { verify, channelLimits, ...facts } = order;
      const group = await verify();
      times.end('verify');
      const { parties } = group;
      const budgets = parties === undefined ? [] : this.#options.budgetsOf(order.network, parties);
      const prepared = { settlement: newRow(facts, group), budgets, ...(channelLimits && { channelLimits }) };
      return await this.begin(prepared, keyHash, times);
    } catch (error) {
      // Another caller may have settled it during this verification: then its row answers, not the refusal.
      const settlement = isRefusal(error) ? await this.#options.store.find(order.txId) : undefined;
      if (settlement === undefined) throw error;
      return settlement;
    }
  }

  /** No limit may keep a seller from closing a channel: its payer could use the limit up on purpose. */
  #reserve(row: NewSettlement): Reservation {
    if (row.channel && isEnding(row.channel)) return this.#openSettlements.count(row.payer);
    const { limits } = this.#options;
    limits.check(row);
    const reservation = this.#openSettlements.reserve(row.payer);
    limits.take(row);
    return reservation;
  }

  #watch(settlement: Settlement, times: PhaseTimes): void {
    const { group, txId } = settlement;
    const { signal } = this.#closed;
    if (this.#pending.has(txId) || signal.aborted) return;
    if (group === undefined) throw new X402Error('store_unavailable', { message: 'an unfinished row has no group' });
    const { pool, watcher } = this.#options.chainOf(settlement.network);
    const { store, log, now } = this.#options;
    const reservation = this.#openSettlements.count(settlement.payer);
    const onEnd = (end: SettlementEnd): void => {
      // A step that is refused may have been made before, by a write that was said to have failed.
      if (end === 'left_for_later' || end === 'lost_to_replica') this.#mayHaveLostRows = true;
      this.#pending.delete(txId);
      watcher.remove(txId);
      reservation.release();
      this.#options.onEnd(end, times);
    };
    const onRejected = (): void => this.#options.onRejected(settlement);
    const callbacks = { onRejected, onEnd };
    const pending = new PendingSettlement({ settlement, group, pool, store, log, times, now, signal, ...callbacks });
    this.#pending.set(txId, pending);
    watcher.add(pending);
    pending.start();
  }

  /** The row of a settlement under way here, as soon as a node has it in its pool; undefined if none says so. */
  async #taken(txId: string, enough: AbortSignal): Promise<SettledRow | undefined> {
    const taken = await Promise.race([this.#pending.get(txId)?.taken(), aborted(enough)]);
    return taken && { ...taken, takenAt: this.#options.chainOf(taken.network).pool.lastRound };
  }

  /** Undefined if the row is released. */
  async #outcome(txId: string, enough: AbortSignal): Promise<Settlement | undefined> {
    // A settlement under way here is not worth reading before it has moved on.
    const confirmed = this.#pending.has(txId) ? await this.#progress(txId, enough) : undefined;
    return confirmed ?? (await this.#outcomeUntil(txId, enough));
  }

  async #outcomeUntil(txId: string, enough: AbortSignal): Promise<Settlement | undefined> {
    for (;;) {
      const settlement = await this.#options.store.find(txId);
      if (settlement === undefined || isAnswer(settlement) || enough.aborted) return settlement;
      // A row that was said to have failed may be written later.
      if (settlement.owner === this.#options.owner && !this.#pending.has(txId)) this.#mayHaveLostRows = true;
      await this.#progress(txId, enough);
    }
  }

  /**
   * Resolves when the row is worth reading again: as soon as this process knows, otherwise after a moment. The value is
   * the row if this process has confirmed it.
   */
  async #progress(txId: string, enough: AbortSignal): Promise<Settlement | undefined> {
    const pending = this.#pending.get(txId);
    if (pending !== undefined) return Promise.race([pending.answerable, aborted(enough)]);
    await sleep(POLL_MS, enough);
    return undefined;
  }

  /** Without a key callers can't be told apart, so the success goes to one caller, once. */
  async #handOutOnce(settlement: SettledRow): Promise<SettledRow> {
    if (settlement.state !== 'confirmed' || (await this.#options.store.deliver(settlement.txId))) return settlement;
    throw duplicate(settlement);
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Whether this row's state is an outcome for the caller. */
function isAnswer(settlement: Settlement): boolean {
  return isFinal(settlement) || settlement.state === 'rejected';
}

/**
 * Checks that the caller is the one who opened the row: the same requirements, the same authorizer (a TxID covers
 * neither) and the same key.
 * @throws X402Error `requirements_changed`, the scheme's `_signer_mismatch`, `duplicate_settlement`
 */
function assertClaim(settlement: Settlement, { order, keyHash }: Claim): void {
  const details = { transaction: settlement.txId };
  if (settlement.requirementsDigest !== order.requirementsDigest) {
    throw new X402Error('requirements_changed', { details });
  }
  if (settlement.signer !== order.signer)
    throw new X402Error(schemeCode(schemeInCodes(settlement), 'signer_mismatch'), { details });
  if (settlement.keyHash !== keyHash) throw duplicate(settlement);
}

/**
 * The row that answers for a settlement that had to be recorded.
 * @throws X402Error the scheme's `_sponsor_budget`, `invalid_exact_avm_lease_held`,
 * `invalid_batch_settlement_avm_sponsorship`, `_channel_used`
 */
function rowOf(recorded: RecordOutcome, row: NewSettlement) {
  switch (recorded.outcome) {
    case 'recorded':
    case 'exists':
      return { settlement: recorded.settlement, isNew: recorded.outcome === 'recorded' };
    case 'channel_taken':
      if (row.channel?.kind === 'open') throw new X402Error('invalid_batch_settlement_avm_channel_used');
      return { settlement: recorded.settlement, isNew: false };
    case 'lease_held':
      throw leaseHeld();
    case 'too_many_channels':
      throw new X402Error('invalid_batch_settlement_avm_sponsorship');
    case 'over_budget':
      throw new X402Error(schemeCode(schemeInCodes(row), 'sponsor_budget'));
    default:
      return recorded satisfies never;
  }
}

/** @throws X402Error `payment_already_on_chain` */
function released(txId: string): never {
  throw new X402Error('payment_already_on_chain', { details: { transaction: txId } });
}

function leaseHeld(): X402Error {
  return new X402Error('invalid_exact_avm_lease_held', {
    message: 'another payment of this account that is under way has the same lease',
  });
}

function duplicate({ txId }: Settlement): X402Error {
  return new X402Error('duplicate_settlement', { details: { transaction: txId } });
}

function hashKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) throw new X402Error('idempotency_key_malformed');
  return createHash('sha256').update(key).digest('hex');
}
