import type { SettleResponse } from '@avm402/core/settle-response';
import type { Network } from '@x402/core/types';
import type { FacilitatorPool } from './facilitator-pool.ts';

const LOOK_UP_TIMEOUT_MS = 5_000;

/** A settlement that a facilitator may have on record. */
interface Recorded {
  readonly transaction: string;
  readonly payer: string;
  readonly network: Network;
}

/**
 * The end of a settlement, from `GET /settlements/{txid}`: a success, or `settlement_expired`. Undefined while it is open
 * or can't be known; `null` if the facilitator has no record of it.
 */
export async function recordedReceipt(
  pool: FacilitatorPool,
  { transaction, payer, network }: Recorded,
): Promise<SettleResponse | undefined | null> {
  let status: unknown;
  try {
    status = await pool.settlement(transaction, network, LOOK_UP_TIMEOUT_MS);
  } catch {
    return undefined;
  }
  if (status === undefined) return null;
  if (typeof status !== 'object' || status === null || Reflect.get(status, 'transaction') !== transaction)
    return undefined;
  const state: unknown = Reflect.get(status, 'state');
  const round: unknown = Reflect.get(status, 'confirmedRound');
  const parties = { payer, transaction, network };
  if (state === 'confirmed') {
    return {
      success: true,
      ...parties,
      ...(typeof round === 'number' && { extra: { confirmedRound: String(round) } }),
    };
  }
  return state === 'expired' ? { success: false, errorReason: 'settlement_expired', ...parties } : undefined;
}
