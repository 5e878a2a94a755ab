import { createHash } from 'node:crypto';
import {
  type CheckedPayment,
  groupFee,
  isRefusal,
  type PaymentVerifier,
  type SponsoredParties,
  signGroup,
  type VerifiedPayment,
} from '@avm402/avm/exact/facilitator';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { canonicalNetwork, type Network } from '@avm402/core/network';
import type { Chain } from './chain.ts';
import type { Log } from './log.ts';
import { OpenSettlements } from './open-settlements.ts';
import { PendingSettlement } from './pending-settlement.ts';
import { isFinal, type NewSettlement, type Settlement } from './settlement.ts';
import type { SettlementEnd } from './settlement-machine.ts';
import type { Budget, SettlementStore } from './settlement-store.ts';
import { sleep } from './sleep.ts';

export interface SettlerOptions {
  readonly verifier: PaymentVerifier;
  readonly store: SettlementStore;
  readonly chainOf: (network: string) => Chain;
  /** Identifies this replica among those that share the store. */
  readonly owner: string;
  /** How long other replicas leave a row alone after its owner last spoke for it. */
  readonly leaseMs: number;
  /** How long a caller waits for the outcome. */
  readonly settleTimeoutMs: number;
  /** The budgets that a sponsored payment is paid from. */
  readonly budgetsOf: (chain: Chain, parties: SponsoredParties) => readonly Budget[];
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A caller's claim on a settlement: what must be the same for it to be told the outcome. */
interface Claim {
  readonly payment: CheckedPayment;
  readonly keyHash: string | undefined;
}

/** How often a row that another replica works on is looked at. */
const POLL_MS = 100;

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{16,255}$/;

/** Settles each payment once, however often it is asked to, and tells each caller the outcome of its payment. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #pending = new Map<string, PendingSettlement>();
  /** One for each caller that waits; aborting it ends the wait. */
  readonly #waiters = new Set<AbortController>();
  readonly #openSettlements = new OpenSettlements();
  #letsWait = true;
  /** The store may hold rows of ours that nobody here works on: a call to it failed. */
  #mayHaveLostRows = false;
  readonly #closed = new AbortController();

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /**
   * Settles a payment, or joins its settlement. Resolves with the row when its outcome is known, or as it is after
   * the timeout.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async settle(payment: CheckedPayment, idempotencyKey: string | undefined): Promise<Settlement> {
    const claim = { payment, keyHash: hashKey(idempotencyKey) };
    const { store } = this.#options;
    const settlement = (await store.find(payment.txId)) ?? (await this.#begin(claim));
    assertClaim(settlement, claim);
    const outcome = await this.#outcome(payment.txId);
    // Meanwhile the row may have been released and written anew, for another caller.
    assertClaim(outcome, claim);
    return claim.keyHash === undefined ? this.#handOutOnce(outcome) : outcome;
  }

  /** Takes up unfinished settlements that nobody works on, and keeps those that are worked on here. */
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
      this.#watch(settlement);
    }
  }

  /** A development node went back to a lower round. */
  wentBack(): void {
    for (const pending of this.#pending.values()) pending.wentBack();
  }

  /** Lets nobody wait any longer, from now on: callers are told that the outcome is open. */
  stopWaiting(): void {
    this.#letsWait = false;
    for (const waiter of this.#waiters) waiter.abort();
  }

  /** Stops working. What is unfinished stays in the store. */
  close(): void {
    this.stopWaiting();
    this.#closed.abort();
  }

  /** Verifies the payment and writes its row, unless somebody was faster; the row's settlement is under way then. */
  async #begin(claim: Claim): Promise<Settlement> {
    const { store, verifier } = this.#options;
    try {
      const verified = await verifier.verifyToSettle(claim.payment);
      const place = this.#openSettlements.take(verified.payer);
      try {
        return await this.#record(this.#newSettlement(verified, claim.keyHash));
      } finally {
        place.leave();
      }
    } catch (error) {
      // While this one was verified, another caller may have settled it: then its row answers, not the verification.
      const settlement = isRefusal(error) ? await store.find(claim.payment.txId) : undefined;
      if (settlement === undefined) throw error;
      return settlement;
    }
  }

  async #record(settlement: NewSettlement): Promise<Settlement> {
    const { store, owner, leaseMs } = this.#options;
    try {
      const recorded = await store.record(settlement, { owner, leaseMs, budgets: this.#budgetsOf(settlement) });
      if (!('settlement' in recorded)) throw new X402Error('invalid_exact_avm_sponsor_budget');
      if (recorded.outcome === 'recorded') this.#watch(recorded.settlement);
      return recorded.settlement;
    } catch (error) {
      // It may have been written all the same.
      if (isX402Error(error, 'store_unavailable')) this.#mayHaveLostRows = true;
      throw error;
    }
  }

  #budgetsOf({ network, terms, payTo, payer }: NewSettlement): readonly Budget[] {
    const { budgetsOf, chainOf } = this.#options;
    return terms === undefined ? [] : budgetsOf(chainOf(network), { terms, payTo, payer });
  }

  #newSettlement(verified: VerifiedPayment, keyHash: string | undefined): NewSettlement {
    const { exact, requirements, terms, verifiedRound } = verified;
    const network = canonicalNetwork(requirements.network);
    const known = this.#options.chainOf(network).pool.lastRound;
    return {
      txId: verified.txId,
      network,
      round: known > verifiedRound ? known : verifiedRound,
      firstValid: verified.firstValid,
      lastValid: verified.lastValid,
      payer: verified.payer,
      signer: verified.signer,
      ...(exact.feePayer === undefined ? {} : { feePayer: exact.feePayer.transaction.sender }),
      payTo: requirements.payTo,
      asset: requirements.asset,
      amount: exact.transferTransaction.amount,
      sponsoredFee: terms === undefined ? 0n : groupFee(exact),
      ...(terms === undefined ? {} : { terms }),
      ...(keyHash === undefined ? {} : { keyHash }),
      requirementsDigest: verified.requirementsDigest,
      group: Buffer.concat(signGroup(verified)),
    };
  }

  #watch(settlement: Settlement): void {
    const { group, txId } = settlement;
    const { signal } = this.#closed;
    if (this.#pending.has(txId) || signal.aborted) return;
    if (group === undefined) throw new X402Error('store_unavailable', { message: 'an unfinished row has no group' });
    const { pool, watcher } = this.#options.chainOf(settlement.network);
    const { store, log, now, verifier } = this.#options;
    const place = this.#openSettlements.hold(settlement.payer);
    const onEnd = (end: SettlementEnd): void => {
      if (end === 'left for later') this.#mayHaveLostRows = true;
      this.#pending.delete(txId);
      watcher.remove(txId);
      place.leave();
    };
    const onRejected = (): void => verifier.distrust(settlement.payer);
    const pending = new PendingSettlement({ settlement, group, pool, store, log, now, signal, onRejected, onEnd });
    this.#pending.set(txId, pending);
    watcher.add(pending);
    pending.start();
  }

  /** The row once it has an answer, or as it is when the caller has waited long enough. */
  async #outcome(txId: string): Promise<Settlement> {
    const waiter = new AbortController();
    const timer = setTimeout(() => waiter.abort(), this.#letsWait ? this.#options.settleTimeoutMs : 0);
    this.#waiters.add(waiter);
    try {
      // What is under way here is worth a look when it has got somewhere.
      const confirmed = this.#pending.has(txId) ? await this.#progress(txId, waiter.signal) : undefined;
      return confirmed ?? (await this.#outcomeUntil(txId, waiter.signal));
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  async #outcomeUntil(txId: string, enough: AbortSignal): Promise<Settlement> {
    for (;;) {
      const settlement = await this.#options.store.find(txId);
      if (settlement === undefined) throw new X402Error('payment_already_on_chain', { details: { transaction: txId } });
      if (isAnswer(settlement) || enough.aborted) return settlement;
      await this.#progress(txId, enough);
    }
  }

  /**
   * Resolves when it is worth looking at the row again: at once where this process knows, else after a moment. With the
   * row where this process has confirmed it.
   */
  async #progress(txId: string, enough: AbortSignal): Promise<Settlement | undefined> {
    const pending = this.#pending.get(txId);
    if (pending !== undefined) return Promise.race([pending.answerable, aborted(enough)]);
    await sleep(POLL_MS, enough);
    return undefined;
  }

  /** Without a key nobody can be recognised, so the success goes to one caller, once. */
  async #handOutOnce(settlement: Settlement): Promise<Settlement> {
    if (settlement.state !== 'confirmed' || (await this.#options.store.deliver(settlement.txId))) return settlement;
    throw duplicate(settlement);
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

/** Whether a caller gets this row's state as the outcome. */
function isAnswer(settlement: Settlement): boolean {
  return isFinal(settlement) || settlement.state === 'rejected';
}

/**
 * The caller is the one who opened the row: same requirements, same authorizer (a TxID covers neither), same key.
 * @throws X402Error `requirements_changed`, `invalid_exact_avm_signer_mismatch`, `duplicate_settlement`
 */
function assertClaim(settlement: Settlement, { payment, keyHash }: Claim): void {
  const details = { transaction: settlement.txId };
  if (settlement.requirementsDigest !== payment.requirementsDigest) {
    throw new X402Error('requirements_changed', { details });
  }
  if (settlement.signer !== payment.signer) throw new X402Error('invalid_exact_avm_signer_mismatch', { details });
  if (settlement.keyHash !== keyHash) throw duplicate(settlement);
}

function duplicate({ txId }: Settlement): X402Error {
  return new X402Error('duplicate_settlement', { details: { transaction: txId } });
}

function hashKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) throw new X402Error('idempotency_key_malformed');
  return createHash('sha256').update(key).digest('hex');
}
