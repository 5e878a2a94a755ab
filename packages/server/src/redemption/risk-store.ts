import type { Network } from '@x402/core/types';

/** A payment whose answer may leave before the payment is in a block. */
export interface Risk {
  readonly txId: string;
  readonly payer: string;
  readonly network: Network;
  /** Millionths of a dollar. */
  readonly amount: bigint;
  /** When it was counted, in milliseconds since 1970. */
  readonly since: number;
}

/** How much may be at risk, in millionths of a dollar. */
export interface RiskBounds {
  readonly perPayment: bigint;
  /** Of one payer at a time. */
  readonly perPayer: bigint;
  /** Of all payers at a time. */
  readonly total: bigint;
  /** What was lost within an hour, together with all that is at risk. */
  readonly lossPerHour: bigint;
}

/** For this long a loss counts against `lossPerHour`. */
export const LOSS_COUNTS_MS = 60 * 60_000;
/** Losses whose payers are remembered; the oldest are forgotten first. */
export const MAX_LOSSES = 100_000;

/**
 * What is at risk, and what was lost, in a redemption store. Servers that share the store share the bounds. A method
 * that can't do its work throws; then no answer leaves early.
 */
export interface RiskStore {
  /**
   * Atomic. Counts a payment as at risk and returns true; returns false if that would exceed a bound, or if its payer is
   * not trusted: a payment of this payer was lost, and none has been confirmed since.
   */
  take(risk: Risk, bounds: RiskBounds): Promise<boolean>;
  /** The payment was confirmed: it is not at risk, and its payer is trusted again. */
  confirmed(risk: Pick<Risk, 'txId' | 'payer'>): Promise<void>;
  /** No answer has left for it: it is not at risk. */
  dropped(txId: string): Promise<void>;
  /** It never will be confirmed. Returns true to the one caller that found it at risk. */
  lost(txId: string, now: number): Promise<boolean>;
  /** All that is at risk, from the first to the last. */
  open(): Promise<readonly Risk[]>;
}
