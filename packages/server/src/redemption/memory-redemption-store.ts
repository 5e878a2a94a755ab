import { X402Error } from '@avm402/core/errors';
import type { Redemption } from './redemption.ts';
import type { PutOutcome, RedemptionStore } from './redemption-store.ts';

/** A payment is valid for at most 1,000 rounds, some 50 minutes. */
const LONGEST_VALIDITY_MS = 60 * 60_000;

export interface MemoryRedemptionStoreOptions {
  /** Rows kept; the oldest finished ones go first. Default 100,000. */
  readonly maxRows?: number;
  /** Bytes of kept responses; the oldest go first, their receipts stay. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Keeps redemptions in this process. After a crash they are gone: the facilitator, which keeps its own record, then
 * refuses the payments that were settled, so nothing is served twice; responses that nobody fetched are lost.
 */
export function memoryRedemptionStore(options: MemoryRedemptionStoreOptions = {}): RedemptionStore {
  return new MemoryRedemptionStore(options);
}

class MemoryRedemptionStore implements RedemptionStore {
  readonly #maxRows: number;
  readonly #maxResponseBytes: number;
  readonly #now: () => number;
  /** In order of the last change, oldest first. */
  readonly #rows = new Map<string, Redemption>();
  readonly #txIdByPaymentId = new Map<string, string>();
  /** TxIDs of rows with a response, oldest first. */
  readonly #withResponse = new Map<string, number>();
  #responseBytes = 0;

  constructor({
    maxRows = 100_000,
    maxResponseBytes = 64 * 1024 * 1024,
    now = Date.now,
  }: MemoryRedemptionStoreOptions) {
    this.#maxRows = maxRows;
    this.#maxResponseBytes = maxResponseBytes;
    this.#now = now;
  }

  get(txId: string): Promise<Redemption | undefined> {
    return Promise.resolve(this.#rows.get(txId));
  }

  getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    const txId = this.#txIdByPaymentId.get(paymentId);
    return Promise.resolve(txId === undefined ? undefined : this.#rows.get(txId));
  }

  async put(next: Redemption): Promise<PutOutcome> {
    const known = this.#rows.get(next.txId);
    if ((known?.version ?? 0) !== next.version - 1) return 'outdated';
    if (next.paymentId !== undefined && (this.#txIdByPaymentId.get(next.paymentId) ?? next.txId) !== next.txId) {
      return 'payment_id_taken';
    }
    if (known === undefined) this.#makeRoom();
    this.#remove(known);
    this.#rows.set(next.txId, next);
    if (next.paymentId !== undefined) this.#txIdByPaymentId.set(next.paymentId, next.txId);
    this.#keepResponse(next);
    return 'stored';
  }

  #remove(row: Redemption | undefined): void {
    if (row === undefined) return;
    this.#rows.delete(row.txId);
    if (row.paymentId !== undefined) this.#txIdByPaymentId.delete(row.paymentId);
    this.#responseBytes -= this.#withResponse.get(row.txId) ?? 0;
    this.#withResponse.delete(row.txId);
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

  /** A row under way; one that was left is needed as long as its payment may be valid. */
  #isNeeded({ state, leaseUntil, updatedAt }: Redemption): boolean {
    if (state === 'settled' || state === 'released') return false;
    return leaseUntil > this.#now() || updatedAt + LONGEST_VALIDITY_MS > this.#now();
  }

  #keepResponse({ txId, response }: Redemption): void {
    if (response === undefined) return;
    this.#withResponse.set(txId, response.body.length);
    this.#responseBytes += response.body.length;
    for (const [oldest, bytes] of this.#withResponse) {
      if (this.#responseBytes <= this.#maxResponseBytes || oldest === txId) return;
      this.#withResponse.delete(oldest);
      this.#responseBytes -= bytes;
      const row = this.#rows.get(oldest);
      if (row === undefined) continue;
      const { response: _dropped, ...rest } = row;
      this.#rows.set(oldest, rest);
    }
  }
}
