import { X402Error } from '@avm402/core/errors';
import { formatMoney, USD_DECIMALS } from '@avm402/core/price';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import { recordedEnd, type RecordedEnd } from '../facilitator/recorded-end.ts';
import type { PaymentEvent } from '../payment-event.ts';
import type { Claims } from '../redemption/claims.ts';
import { LONGEST_VALIDITY_MS, type Redemption } from '../redemption/redemption.ts';
import type { RedemptionStore } from '../redemption/redemption-store.ts';
import { storing } from '../stores/storing.ts';
import type { Risk, RiskBounds, RiskStore } from '../redemption/risk-store.ts';
import { type AtRisk, parseRiskBounds } from './risk-bounds.ts';
import { invalidOption } from '../invalid-option.ts';

/** How events name the route, as no request causes them. */
const ROUTE = 'at risk';
const SWEEP_MS = 1_000;
const LONGEST_SWEEP_MS = 30_000;
/** Time for the answer of a risk to leave, and for its end to be told, beyond that for settlement. */
const GRACE_MS = 15_000;

export interface RisksOptions {
  readonly store: RedemptionStore;
  readonly risks: RiskStore;
  readonly bounds: RiskBounds;
  /** Pause before the first look at what others have left at risk; it doubles while anything is. Milliseconds. */
  readonly sweepMs: number;
  readonly claims: Claims;
  readonly pool: FacilitatorPool;
  readonly report: (event: PaymentEvent) => void;
  /** For this long, only the server that took a risk asks for its end; after that, each that shares the store does. */
  readonly settleTimeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since any moment; it never jumps. */
  readonly monotonicNow: () => number;
}

/**
 * The risks of a seller, if it carries any.
 * @throws X402Error `invalid_option` for a bound, or for a store that does not keep what is at risk
 */
export function risksOf(
  atRisk: AtRisk | undefined,
  {
    store,
    ...options
  }: Omit<RisksOptions, 'store' | 'risks' | 'bounds' | 'sweepMs'> & { readonly store: RedemptionStore },
): Risks | undefined {
  if (atRisk === undefined) return undefined;
  const { risks } = store;
  if (risks === undefined)
    throw invalidOption('atRisk', 'needs a redemption store that keeps what is at risk (its member `risks`)');
  const bounds = parseRiskBounds(atRisk);
  const { sweepMs = SWEEP_MS } = atRisk;
  return new Risks({ ...options, store, risks, bounds, sweepMs });
}

/**
 * The answers that leave before their payment is in a block: what they put at risk is bounded and durable, and ends when
 * the facilitator tells the outcome.
 */
export class Risks {
  readonly #options: RisksOptions;
  /** TxIDs whose end this process waits for. */
  readonly #followed = new Set<string>();
  /** When this process first heard that no facilitator has a record of a payment, by TxID. */
  readonly #unrecorded = new Map<string, number>();
  #isSweepDue = false;
  /** How often this process has put a payment at risk, or tried to. */
  #taken = 0;
  #pause: number;

  constructor(options: RisksOptions) {
    this.#options = options;
    this.#pause = options.sweepMs;
    // What an earlier process left is looked at soon, but not while an app is starting.
    this.#sweepLater();
  }

  /**
   * Counts a payment as at risk, unless that exceeds a bound. If it did, its answer must wait for the block.
   * @throws X402Error `store_unavailable`
   */
  async take(redemption: Redemption, amount: bigint): Promise<boolean> {
    const { risks, bounds, now } = this.#options;
    const { txId, payer, requirements } = redemption;
    const risk = { txId, payer, network: requirements.network, amount, since: now() };
    const isTaken = await storing(() => risks.take(risk, bounds));
    this.#taken++;
    this.#sweepLater();
    return isTaken;
  }

  /**
   * The answer of a payment has waited for its outcome, so it is not at risk. If the payment is settled, its payer is
   * trusted again. Never throws: the answer must not suffer, and the sweep does what was missed.
   */
  async waited({ txId, payer }: Redemption, isSettled: boolean): Promise<void> {
    const { risks, report } = this.#options;
    try {
      await (isSettled ? risks.confirmed({ txId, payer }) : risks.dropped(txId));
    } catch (error) {
      report({ type: 'failed', route: ROUTE, txId, error });
    }
  }

  /** Waits for the end of a payment whose answer is about to leave; `ask` resolves to its receipt if that is known. */
  async follow(redemption: Redemption, ask: () => Promise<SettleResponse | undefined>): Promise<void> {
    this.#followed.add(redemption.txId);
    try {
      const receipt = await ask();
      if (receipt !== undefined) await this.end(redemption, receipt);
    } catch {
      // It stays at risk. The sweep asks again.
    } finally {
      this.#followed.delete(redemption.txId);
    }
  }

  /**
   * Records the end of a payment whose answer has left: a success, or an expiry.
   * @throws X402Error `store_unavailable`
   */
  async end(redemption: Redemption, receipt: SettleResponse): Promise<void> {
    const { txId, payer, requirements } = redemption;
    // The row first: after a crash, everything that is still at risk is looked at again.
    await this.#options.claims.resolve(redemption, receipt);
    await this.#close({ txId, payer, amount: BigInt(requirements.amount) }, receipt);
  }

  async #close(
    { txId, payer, amount }: Pick<Risk, 'txId' | 'payer' | 'amount'>,
    receipt: SettleResponse,
  ): Promise<void> {
    const { risks, report, now } = this.#options;
    if (receipt.success) await storing(() => risks.confirmed({ txId, payer }));
    else if (await storing(() => risks.lost(txId, now()))) {
      const dollars = formatMoney(amount, USD_DECIMALS);
      const message = `lost ${dollars}: answered before its block, and the payment of ${payer} never got into one`;
      const error = new X402Error('settlement_expired', { message });
      report({ type: 'lost', route: ROUTE, txId, payer, code: error.code, error });
    }
  }

  #sweepLater(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    setTimeout(() => void this.#sweepNow(), this.#pause).unref();
  }

  /** Asks for the end of what is at risk and followed by nobody, e.g. because its server died. */
  async #sweepNow(): Promise<void> {
    const taken = this.#taken;
    let isDone = false;
    try {
      const open = await this.#options.risks.open();
      // One whose row can't be read, or changed, holds no other one back: the next sweep looks at it again.
      for (const risk of open) await this.#lookAt(risk).catch(() => undefined);
      const txIds = new Set(open.map(({ txId }) => txId));
      for (const txId of this.#unrecorded.keys()) if (!txIds.has(txId)) this.#unrecorded.delete(txId);
      // What was taken meanwhile may be missing in what was found.
      isDone = open.length === 0 && this.#taken === taken;
    } catch {
      // The store fails at the moment; the next sweep is soon.
    }
    this.#isSweepDue = false;
    this.#pause = isDone ? this.#options.sweepMs : Math.min(2 * this.#pause, LONGEST_SWEEP_MS);
    if (!isDone) this.#sweepLater();
  }

  async #lookAt(risk: Risk): Promise<void> {
    const { store, claims, settleTimeoutMs, now } = this.#options;
    const { txId, payer, network, since } = risk;
    const age = now() - since;
    // A clock that was set back must not put it off.
    if (this.#followed.has(txId) || (age >= 0 && age < settleTimeoutMs + GRACE_MS)) return;
    const known = await store.get(txId);
    if (known === undefined) return this.#lookFor(risk);
    if (claims.isAtWork(known)) return;
    if (known.accepted !== true) return this.#drop(known);
    const end = await this.#recordedEnd(risk);
    const parties = { payer, transaction: txId, network };
    if (end.kind === 'ended') await this.end(known, end.receipt);
    else if (end.kind === 'unrecorded' && this.#isOver(txId))
      await this.end(known, { success: false, errorReason: 'settlement_expired', ...parties });
  }

  /**
   * Whether a payment that no facilitator has a record of can't be confirmed any more. The time counts from when this
   * process first heard so, because a clock that is set forward must not report a loss where there is none.
   */
  #isOver(txId: string): boolean {
    const at = this.#options.monotonicNow();
    const since = this.#unrecorded.get(txId) ?? at;
    this.#unrecorded.set(txId, since);
    return at - since > LONGEST_VALIDITY_MS;
  }

  /**
   * The store has dropped the row, so only the facilitator can tell the end. If it has no record of the payment, no answer
   * has left.
   */
  async #lookFor(risk: Risk): Promise<void> {
    const end = await this.#recordedEnd(risk);
    if (end.kind === 'ended') await this.#close(risk, end.receipt);
    else if (end.kind === 'unrecorded') await this.#options.risks.dropped(risk.txId);
  }

  #recordedEnd({ txId, payer, network }: Risk): Promise<RecordedEnd> {
    return recordedEnd(this.#options.pool, { transaction: txId, payer, network });
  }

  /**
   * A server died before the answer left: the buyer may come back for it, and gets it once it is settled. If that server
   * only stood still, it must not let the answer go now, because nothing would count it.
   */
  async #drop(known: Redemption): Promise<void> {
    const { claims, risks } = this.#options;
    if (!known.held || (await claims.end(known))) await risks.dropped(known.txId);
  }
}
