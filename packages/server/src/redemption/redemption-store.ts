import type { Redemption } from './redemption.ts';
import type { RiskStore } from './risk-store.ts';

/**
 * What became of a write: `outdated` if another version was written meanwhile, `payment_id_taken` if the payment id
 * belongs to another TxID.
 */
export type PutOutcome = 'stored' | 'outdated' | 'payment_id_taken';

/**
 * Rows that a store keeps of one payer's refused payments; the oldest are dropped first. They cost their maker nothing,
 * and are useful only to that payer.
 */
export const MAX_REFUSED_PER_PAYER = 100;

/**
 * The record of redeemed payments. It decides nothing: it keeps one row per TxID, and replaces it only from the version
 * that the writer has seen. Servers that sell the same resources share one store. A method that can't do its work
 * throws; then nothing is served.
 */
export interface RedemptionStore {
  get(txId: string): Promise<Redemption | undefined>;
  getByPaymentId(paymentId: string): Promise<Redemption | undefined>;
  /** Atomic. Writes `next` if the row's version is that of `previous`; without `previous`, if there is no row. */
  put(next: Redemption, previous?: Redemption): Promise<PutOutcome>;
  /** Atomic. Removes a row if its version is that of `row`, and says whether it did. */
  remove(row: Redemption): Promise<boolean>;
  /** What is at risk. `accepted` routes need it. */
  readonly risks?: RiskStore;
}
