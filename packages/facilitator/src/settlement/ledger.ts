import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { DAY_MS } from '@avm402/core/durations';
import type { ChannelMove } from './channel-move.ts';
import type { Settlement, SettlementState } from './settlement.ts';

/** Selects the settlements that match all of these. */
export interface LedgerFilter {
  /** Paid into one of these addresses. */
  readonly receivers?: readonly string[] | undefined;
  readonly payer?: string | undefined;
  readonly states?: readonly SettlementState[] | undefined;
  /** Recorded at this time or later, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Recorded before this time, in milliseconds since 1970. */
  readonly until?: number | undefined;
}

/** A place in the ledger, which goes from the latest settlement to the first. */
export interface LedgerPlace {
  readonly recordedAt: number;
  readonly txId: string;
}

export interface LedgerQuery extends LedgerFilter {
  /** Return only settlements after this place. */
  readonly after?: LedgerPlace | undefined;
  readonly limit: number;
}

/** What was confirmed in one asset on one day (UTC). */
export interface DayTotal {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** CAIP-2, short form. */
  readonly network: Network;
  readonly asset: string;
  /** What the settlements did to channels; absent for payments. A deposit and what is later claimed of it are one money. */
  readonly channelMove?: ChannelMove['kind'];
  readonly settlements: number;
  /** Atomic units. */
  readonly amount: bigint;
  /** µAlgo that the sponsor paid. */
  readonly sponsoredFee: bigint;
}

/** The settlements of a store, for people to read. */
export interface Ledger {
  /** From the latest to the first. */
  list(query: LedgerQuery): Promise<readonly Settlement[]>;
  /** Totals of confirmed settlements, from the latest day to the first; at most `MAX_TOTALS`. */
  totals(filter: LedgerFilter): Promise<readonly DayTotal[]>;
}

export const MAX_TOTALS = 10_000;

/** The date, as `YYYY-MM-DD`, that is this many days after January 1, 1970. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A place as opaque text that callers send back unchanged. */
export function encodeCursor({ recordedAt, txId }: LedgerPlace): string {
  return Buffer.from(`${recordedAt}:${txId}`).toString('base64url');
}

/** @throws X402Error `invalid_query` */
export function parseCursor(text: string): LedgerPlace {
  const [, recordedAt, txId] = /^(\d{1,16}):([A-Z2-7]{1,52})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (recordedAt === undefined || txId === undefined) {
    throw new X402Error('invalid_query', { message: 'cursor: is not one that this facilitator made' });
  }
  return { recordedAt: Number(recordedAt), txId };
}
