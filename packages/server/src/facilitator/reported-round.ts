import type { SettleResponse } from '@avm402/core/settle-response';

/** A round as text, with at most as many digits as 64 bits have. */
const ROUND = /^\d{1,20}$/;

/** The round of the block in which a settlement was confirmed, as its facilitator reports it. */
export function reportedRound({ extra }: SettleResponse): bigint | undefined {
  return readRound(extra?.['confirmedRound']);
}

/** A round as a facilitator writes it; undefined for anything else. */
export function readRound(round: unknown): bigint | undefined {
  return typeof round === 'string' && ROUND.test(round) ? BigInt(round) : undefined;
}
