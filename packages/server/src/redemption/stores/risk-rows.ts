import type { Network } from '@x402/core/types';
import type { Value, VersionedRows } from '../../stores/versioned-rows.ts';
import { LOSS_COUNTS_MS, MAX_LOSSES, type Risk, type RiskBounds, type RiskStore } from '../risk-store.ts';

/** A database that keeps what is at risk. */
export interface RiskTable {
  readonly name: string;
  readonly rows: Pick<VersionedRows, 'run' | 'find'>;
  /** Runs a statement that reads what others of its kind write: one at a time, over all connections. */
  readonly alone: (sql: string, values: readonly Value[]) => number | Promise<number>;
}

/** A row as databases return it: whole numbers may come as text. */
interface RiskRow {
  readonly tx_id: string;
  readonly payer: string;
  readonly network: string;
  readonly amount: number | bigint | string;
  readonly since: number | bigint | string;
}

/** What is at risk (`lost_at` is null) and what was lost, as rows of a database. */
export class RiskRows implements RiskStore {
  readonly #table: RiskTable;

  constructor(table: RiskTable) {
    this.#table = table;
  }

  async take({ txId, payer, network, amount, since }: Risk, bounds: RiskBounds): Promise<boolean> {
    const { name, alone } = this.#table;
    if (amount > bounds.perPayment) return false;
    const sum = (which: string): string => `(SELECT coalesce(sum(amount), 0) FROM ${name} WHERE ${which})`;
    const columns = 'tx_id, payer, network, amount, since';
    const values = 'CAST(? AS text), CAST(? AS text), CAST(? AS text), CAST(? AS bigint), CAST(? AS bigint)';
    const sql = `INSERT INTO ${name} (${columns}) SELECT ${values}
      WHERE ${sum('lost_at IS NULL AND payer = ?')} <= ?
      AND ${sum('lost_at IS NULL')} <= ?
      AND ${sum('lost_at IS NULL OR lost_at > ? AND lost_at < ?')} <= ?
      AND NOT EXISTS (SELECT 1 FROM ${name} WHERE payer = ? AND lost_at IS NOT NULL AND trusted_again = 0)
      ON CONFLICT (tx_id) DO NOTHING`;
    const room = (bound: bigint): bigint => bound - amount;
    const risk = [txId, payer, network, amount, since];
    const ofPayer = [payer, room(bounds.perPayer)];
    const lost = [since - LOSS_COUNTS_MS, since + LOSS_COUNTS_MS, room(bounds.lossPerHour)];
    return (await alone(sql, [...risk, ...ofPayer, room(bounds.total), ...lost, payer])) === 1;
  }

  async confirmed({ txId, payer }: Pick<Risk, 'txId' | 'payer'>): Promise<void> {
    const { name, rows } = this.#table;
    await this.dropped(txId);
    await rows.run(`UPDATE ${name} SET trusted_again = 1 WHERE payer = ? AND lost_at IS NOT NULL`, [payer]);
  }

  async dropped(txId: string): Promise<void> {
    const { name, rows } = this.#table;
    await rows.run(`DELETE FROM ${name} WHERE tx_id = ? AND lost_at IS NULL`, [txId]);
  }

  async lost(txId: string, now: number): Promise<boolean> {
    const { name, rows } = this.#table;
    const sql = `UPDATE ${name} SET lost_at = ? WHERE tx_id = ? AND lost_at IS NULL`;
    const isLost = (await rows.run(sql, [now, txId])) === 1;
    if (isLost) await this.#forget(now - LOSS_COUNTS_MS);
    return isLost;
  }

  async open(): Promise<readonly Risk[]> {
    const { name, rows } = this.#table;
    const sql = `SELECT tx_id, payer, network, amount, since FROM ${name} WHERE lost_at IS NULL ORDER BY since`;
    return (await rows.find<RiskRow>(sql)).map(riskOf);
  }

  /** Forgets losses that do not count any more: those of payers who are trusted again, and those beyond the limit. */
  async #forget(before: number): Promise<void> {
    const { name, rows } = this.#table;
    await rows.run(`DELETE FROM ${name} WHERE lost_at < ? AND trusted_again = 1`, [before]);
    const older = `SELECT tx_id FROM ${name} WHERE lost_at IS NOT NULL ORDER BY lost_at DESC LIMIT 1000000000 OFFSET ?`;
    await rows.run(`DELETE FROM ${name} WHERE lost_at < ? AND tx_id IN (${older})`, [before, MAX_LOSSES]);
  }
}

function riskOf({ tx_id: txId, payer, network, amount, since }: RiskRow): Risk {
  return { txId, payer, network: network as Network, amount: BigInt(amount), since: Number(since) };
}
