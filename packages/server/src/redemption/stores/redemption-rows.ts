import { BoundedMap } from '@avm402/core/bounded-map';
import { DAY_MS } from '@avm402/core/durations';
import { parseSettleResponse } from '@avm402/core/settle-response';
import type { UnknownMembers } from '@avm402/core/unknown-json';
import * as z from 'zod/mini';
import { fromJson, requirements, responseHead } from '../../stores/stored-json.ts';
import type { VersionedRows } from '../../stores/versioned-rows.ts';
import type { Redemption } from '../redemption.ts';
import { MAX_REFUSED_PER_PAYER, type PutOutcome, type RedemptionStore } from '../redemption-store.ts';

/** What a store in a database keeps, and for how long. */
export interface RedemptionLimits {
  /** How long finished rows are kept after their last change, in milliseconds. Default 24 hours. */
  readonly retentionMs?: number;
  /** Rows kept; the oldest finished ones are dropped first, once a minute. Default 1,000,000. */
  readonly maxRows?: number;
  /** Bytes of kept responses; the oldest are dropped first, their receipts stay. Default 1 GiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of kept responses of one payer, which each server may exceed by a sixteenth. Default 16 MiB. */
  readonly maxResponseBytesPerPayer?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const PRUNE_EVERY_MS = 60_000;
/** Payers whose kept bytes are counted. */
const MAX_PAYERS = 10_000;
/** Most rows that one statement removes, so that none takes long. */
const PRUNE_ROWS = 1_000;

/** A redemption's row: a document, and beside it the body of its response. */
interface RedemptionRow {
  readonly document: string;
  readonly body: Uint8Array | null;
}

/** Members that a later version has added stay as they are. */
const redemption = z.looseObject({
  txId: z.string(),
  version: z.int(),
  state: z.enum(['claimed', 'released', 'sending', 'settled']),
  payer: z.string(),
  groupDigest: z.string(),
  paymentId: z.exactOptional(z.string()),
  fingerprint: z.exactOptional(z.string()),
  route: z.string(),
  requirements,
  idempotencyKey: z.string(),
  owner: z.string(),
  held: z.boolean(),
  sent: z.boolean(),
  runs: z.int(),
  receipt: z.exactOptional(
    z.pipe(
      z.looseObject({}),
      z.transform((told: UnknownMembers) => parseSettleResponse(told)),
    ),
  ),
  response: z.exactOptional(responseHead),
  delivered: z.boolean(),
  accepted: z.exactOptional(z.literal(true)),
  updatedAt: z.number(),
});

/**
 * Redemptions as rows of a database. Each method is one statement, and so atomic; what it displaces is removed
 * afterwards.
 */
export class RedemptionRows implements RedemptionStore {
  readonly #rows: VersionedRows;
  readonly #limits: Required<RedemptionLimits>;
  #nextPrune = 0;
  #pruning: Promise<void> = Promise.resolve();
  /** Bytes of responses kept since their total was last bounded, of all payers and of each: each time reads many rows. */
  #keptBytes = 0;
  readonly #keptOf = new BoundedMap<string, number>(MAX_PAYERS);

  constructor(
    rows: VersionedRows,
    {
      retentionMs = DAY_MS,
      maxRows = 1_000_000,
      maxResponseBytes = 1024 * 1024 * 1024,
      maxResponseBytesPerPayer = 16 * 1024 * 1024,
      now = Date.now,
    }: RedemptionLimits,
  ) {
    this.#rows = rows;
    this.#limits = { retentionMs, maxRows, maxResponseBytes, maxResponseBytesPerPayer, now };
  }

  get(txId: string): Promise<Redemption | undefined> {
    return this.#find('tx_id', txId);
  }

  getByPaymentId(paymentId: string): Promise<Redemption | undefined> {
    return this.#find('payment_id', paymentId);
  }

  async put(next: Redemption, previous?: Redemption): Promise<PutOutcome> {
    const { txId, paymentId } = next;
    try {
      const isStored =
        previous === undefined
          ? await this.#rows.insert({ tx_id: txId, ...columnsOf(next) })
          : await this.#rows.replace(txId, previous.version, columnsOf(next));
      if (!isStored) return 'outdated';
    } catch (error) {
      if (!this.#rows.isTaken(error) || paymentId === undefined) throw error;
      // Two servers that write one payment at a time may collide at its payment id before they collide at its TxID.
      const holder = await this.getByPaymentId(paymentId);
      if (holder === undefined) return this.put(next, previous);
      return holder.txId === txId ? 'outdated' : 'payment_id_taken';
    }
    this.#pruneWhenDue();
    // The row is stored: its request must not fail because others were not dropped. The payer's next row drops them.
    await this.#bound(next).catch(() => this.#keptOf.delete(next.payer));
    return 'stored';
  }

  async remove({ txId, version }: Redemption): Promise<boolean> {
    return this.#rows.remove(txId, version);
  }

  /** Resolves when no row is being pruned. */
  async rested(): Promise<void> {
    await this.#pruning;
  }

  async #find(column: 'tx_id' | 'payment_id', value: string): Promise<Redemption | undefined> {
    const select = `SELECT document, body FROM ${this.#rows.table.name} WHERE ${column} = ?`;
    const [row] = await this.#rows.find<RedemptionRow>(select, [value]);
    return row && redemptionOf(row);
  }

  /** Drops what a row displaces. */
  async #bound({ payer, state, response }: Redemption): Promise<void> {
    if (state === 'released') {
      const refused = `payer = ? AND state = 'released' ORDER BY updated_at DESC LIMIT 1000000000 OFFSET ?`;
      await this.#rows.run(this.#deletion(refused), [payer, MAX_REFUSED_PER_PAYER]);
    }
    if (response === undefined) return;
    const { maxResponseBytes, maxResponseBytesPerPayer } = this.#limits;
    const ofPayer = (this.#keptOf.get(payer) ?? maxResponseBytesPerPayer) + response.body.length;
    const isMuch = ofPayer > maxResponseBytesPerPayer / 16;
    this.#keptOf.set(payer, isMuch ? 0 : ofPayer);
    if (isMuch) await this.#dropBodies('payer = ?', [payer, maxResponseBytesPerPayer]);
    this.#keptBytes += response.body.length;
    if (this.#keptBytes <= maxResponseBytes / 16) return;
    this.#keptBytes = 0;
    await this.#dropBodies('true', [maxResponseBytes]);
  }

  /** No request waits for the pruning, and none fails with it, because the next one is soon. */
  #pruneWhenDue(): void {
    const now = this.#limits.now();
    // A clock that was set back must not put it off.
    if (now < this.#nextPrune && now >= this.#nextPrune - PRUNE_EVERY_MS) return;
    this.#nextPrune = now + PRUNE_EVERY_MS;
    this.#pruning = this.#pruning.then(() => this.#prune(now)).catch(() => {});
  }

  /**
   * Removes finished rows after their time. Those whose settlement is open stay until somebody has found out its
   * outcome.
   */
  async #prune(now: number): Promise<void> {
    const { retentionMs, maxRows, maxResponseBytes } = this.#limits;
    await this.#rows.run(this.#withoutBodies(this.#selection('kept_until < ?')), [now]);
    await this.#dropBodies('true', [maxResponseBytes]);
    const tooOld = `updated_at < ? AND state <> 'sending' LIMIT ${PRUNE_ROWS}`;
    const tooMany = `state IN ('settled', 'released') ORDER BY updated_at LIMIT (
      SELECT CASE WHEN count(*) > ? + ${PRUNE_ROWS} THEN ${PRUNE_ROWS} WHEN count(*) > ? THEN count(*) - ? ELSE 0 END
      FROM ${this.#rows.table.name})`;
    const old = await this.#rows.run(this.#deletion(tooOld), [now - retentionMs]);
    const surplus = await this.#rows.run(this.#deletion(tooMany), [maxRows, maxRows, maxRows]);
    // What exceeds one batch is removed with the next writes; otherwise a busy store would grow faster than it is
    // pruned.
    if (old + surplus >= PRUNE_ROWS) this.#nextPrune = now;
  }

  /** Drops bodies beyond a number of bytes, which is the last of the values. The newest stay. */
  async #dropBodies(whose: string, values: readonly (string | number)[]): Promise<void> {
    const tooMany = `SELECT tx_id FROM (
      SELECT tx_id, sum(length(body)) OVER newest AS bytes, row_number() OVER newest AS place
      FROM ${this.#rows.table.name} WHERE kept_until IS NOT NULL AND ${whose}
      WINDOW newest AS (ORDER BY kept_until DESC, updated_at DESC, tx_id)
    ) AS kept WHERE bytes > ? AND place > 1`;
    await this.#rows.run(this.#withoutBodies(tooMany), values);
  }

  #selection(which: string): string {
    return `SELECT tx_id FROM ${this.#rows.table.name} WHERE ${which}`;
  }

  #unlocked(rows: string): string {
    return `tx_id IN (${this.#selection(`tx_id IN (${rows})`)} ${this.#rows.unlocked})`;
  }

  #deletion(which: string): string {
    return `DELETE FROM ${this.#rows.table.name} WHERE ${this.#unlocked(this.#selection(which))}`;
  }

  #withoutBodies(rows: string): string {
    return `UPDATE ${this.#rows.table.name} SET body = NULL, kept_until = NULL WHERE ${this.#unlocked(rows)}`;
  }
}

function columnsOf({ response, ...rest }: Redemption) {
  const { version, paymentId = null, payer, state, updatedAt } = rest;
  const { body = null, ...head } = response ?? {};
  const document = JSON.stringify(response === undefined ? rest : { ...rest, response: head });
  const kept_until = response?.keptUntil ?? null;
  return { version, payment_id: paymentId, payer, state, updated_at: updatedAt, kept_until, document, body };
}

/** The redemption that was put. If its response's body was dropped since, the response is gone. */
function redemptionOf({ document, body }: RedemptionRow): Redemption {
  const { response, ...rest } = fromJson(redemption, document);
  return response !== undefined && body !== null ? { ...rest, response: { ...response, body } } : rest;
}
