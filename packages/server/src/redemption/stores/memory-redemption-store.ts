import { X402Error } from '@avm402/core/errors';
import { LONGEST_VALIDITY_MS, type Redemption } from '../redemption.ts';
import { MemoryRiskStore } from './memory-risk-store.ts';
import { MAX_REFUSED_PER_PAYER, type PutOutcome, type RedemptionStore } from '../redemption-store.ts';
import { PayerQuotas } from './payer-quotas.ts';

export interface MemoryRedemptionStoreOptions {
  /** Rows kept; the oldest finished ones are dropped first. Default 100,000. */
  readonly maxRows?: number;
  /** Bytes of kept responses; the oldest are dropped first, their receipts stay. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of kept responses of one payer. Default 4 MiB. */
  readonly maxResponseBytesPerPayer?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Keeps redemptions in this process. They are gone after a crash: the facilitator, which keeps its own record, then
 * refuses the payments that were settled, so nothing is served twice, but responses that nobody fetched are lost.
 */
export function createMemoryRedemptionStore(options: MemoryRedemptionStoreOptions = {}): RedemptionStore {
  return new MemoryRedemptionStore(options);
}

class MemoryRedemptionStore implements RedemptionStore {
  readonly risks = new MemoryRiskStore();
  readonly #maxRows: number;
  readonly #now: () => number;
  /** In order of the last change, oldest first. */
  readonly #rows = new Map<string, Redemption>();
  readonly #txIdByPaymentId = new Map<string, string>();
  /** Kept responses, by TxID; a response without bytes counts as one byte. */
  readonly #responses: PayerQuotas;
  /** Rows of payments whose settlement was refused, by TxID. */
  readonly #refused: PayerQuotas;

  constructor({
    maxRows = 100_000,
    maxResponseBytes = 64 * 1024 * 1024,
    maxResponseBytesPerPayer = 4 * 1024 * 1024,
    now = Date.now,
  }: MemoryRedemptionStoreOptions) {
    this.#maxRows = maxRows;
    this.#now = now;
    this.#responses = new PayerQuotas({ maxWeight: maxResponseBytes, maxWeightPerPayer: maxResponseBytesPerPayer });
    this.#refused = new PayerQuotas({ maxWeight: maxRows, maxWeightPerPayer: MAX_REFUSED_PER_PAYER });
  }

  get(txId: string): Promise<Redemption | undefined> {
    return Promise.resolve(this.#rows.get(txId));
  }

  getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    const txId = this.#txIdByPaymentId.get(paymentId);
    return Promise.resolve(txId === undefined ? undefined : this.#rows.get(txId));
  }

  async put(next: Redemption, previous?: Redemption): Promise<PutOutcome> {
    const known = this.#rows.get(next.txId);
    if (known?.version !== previous?.version) return 'outdated';
    if (next.paymentId !== undefined && (this.#txIdByPaymentId.get(next.paymentId) ?? next.txId) !== next.txId) {
      return 'payment_id_taken';
    }
    if (known === undefined) this.#makeRoom();
    this.#remove(known);
    this.#rows.set(next.txId, next);
    if (next.paymentId !== undefined) this.#txIdByPaymentId.set(next.paymentId, next.txId);
    this.#bound(next);
    return 'stored';
  }

  async remove({ txId, version }: Redemption): Promise<boolean> {
    const known = this.#rows.get(txId);
    if (known?.version !== version) return false;
    this.#remove(known);
    return true;
  }

  #remove(row: Redemption | undefined): void {
    if (row === undefined) return;
    this.#rows.delete(row.txId);
    if (row.paymentId !== undefined) this.#txIdByPaymentId.delete(row.paymentId);
    this.#responses.remove(row.txId);
    this.#refused.remove(row.txId);
  }

  #makeRoom(): void {
    if (this.#rows.size < this.#maxRows) return;
    for (const row of this.#rows.values()) {
      if (this.#isNeeded(row)) continue;
      this.#remove(row);
      return;
    }
    throw new X402Error('store_unavailable', { message: `all ${this.#maxRows} rows are payments under way` });
  }

  /** Whether a row is still needed: it is not finished, and its payment may still be valid. */
  #isNeeded({ state, updatedAt }: Redemption): boolean {
    if (state === 'settled' || state === 'released') return false;
    return updatedAt + LONGEST_VALIDITY_MS > this.#now();
  }

  /** Drops what a row displaces, of its payer and in total. */
  #bound({ txId, payer, state, response }: Redemption): void {
    if (state === 'released') {
      for (const old of this.#refused.add(txId, { payer, weight: 1 })) this.#remove(this.#rows.get(old));
    }
    if (response === undefined) return;
    for (const old of this.#responses.add(txId, { payer, weight: Math.max(1, response.body.length) })) {
      const row = this.#rows.get(old);
      if (row === undefined) continue;
      const { response: _dropped, ...rest } = row;
      this.#rows.set(old, rest);
    }
  }
}
