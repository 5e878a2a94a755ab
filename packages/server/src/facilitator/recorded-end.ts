import { setTimeout } from 'node:timers/promises';
import type { SettleResponse } from '@avm402/core/settle-response';
import { membersIn } from '@avm402/core/unknown-json';
import type { Network } from '@x402/core/types';
import type { LookUp } from './facilitator-endpoint.ts';
import type { FacilitatorPool } from './facilitator-pool.ts';

const LOOK_UP_TIMEOUT_MS = 5_000;
/** For one question that waits for the outcome. */
const WAIT_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A settlement that a facilitator may have on record. */
interface Recorded {
  readonly transaction: string;
  readonly payer: string;
  readonly network: Network;
}

/**
 * What a facilitator's record says of a settlement:
 * `ended`       with this receipt: a success, or `settlement_expired`;
 * `open`        it may still be confirmed, or nobody can tell;
 * `unrecorded`  the facilitator has no record of it.
 */
export type RecordedEnd =
  | { readonly kind: 'ended'; readonly receipt: SettleResponse }
  | { readonly kind: 'open' | 'unrecorded' };

const OPEN: RecordedEnd = { kind: 'open' };

/** What became of a settlement, from `GET /settlements/{txid}`. */
export async function recordedEnd(
  pool: FacilitatorPool,
  { transaction, payer, network }: Recorded,
  look: LookUp & { readonly timeoutMs: number } = { timeoutMs: LOOK_UP_TIMEOUT_MS },
): Promise<RecordedEnd> {
  let status: unknown;
  try {
    status = await pool.settlement(transaction, network, look);
  } catch {
    return OPEN;
  }
  if (status === undefined) return { kind: 'unrecorded' };
  const { transaction: named, state, confirmedRound: round } = membersIn(status);
  if (named !== transaction) return OPEN;
  const parties = { payer, transaction, network };
  if (state === 'confirmed') {
    const extra = typeof round === 'number' && { extra: { confirmedRound: String(round) } };
    return { kind: 'ended', receipt: { success: true, ...parties, ...extra } };
  }
  if (state !== 'expired') return OPEN;
  return { kind: 'ended', receipt: { success: false, errorReason: 'settlement_expired', ...parties } };
}

/**
 * The end of a settlement that is on record, as soon as it is known; undefined if it isn't in time. A question that waits
 * costs its facilitator less than a repeated `/settle`.
 */
export async function awaitedReceipt(
  pool: FacilitatorPool,
  recorded: Recorded,
  { timeoutMs, now }: { readonly timeoutMs: number; readonly now: () => number },
): Promise<SettleResponse | undefined> {
  const deadline = now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const left = Math.max(1, deadline - now());
    const end = await recordedEnd(pool, recorded, { timeoutMs: Math.min(left, WAIT_MS), waits: true });
    if (end.kind === 'ended') return end.receipt;
    if (now() + pause >= deadline) return undefined;
    await setTimeout(pause);
  }
}
