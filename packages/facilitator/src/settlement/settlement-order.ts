import type { NewSettlement } from './settlement.ts';
import type { Budget, ChannelLimits } from './settlement-store.ts';

/** Something to settle: what every caller of its settlement must have the same, and how it begins if nobody began it. */
export interface SettlementOrder {
  readonly txId: string;
  /** The address whose signature was verified. */
  readonly signer: string;
  /** Hex SHA-256 of what the requirements ask for. */
  readonly requirementsDigest: string;
  /**
   * Verifies it against the chain as it is now, and signs what is ours of it.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  prepare(): Promise<PreparedSettlement>;
}

/** A settlement that may begin: its row, and what it may cost. */
export interface PreparedSettlement {
  readonly settlement: Omit<NewSettlement, 'keyHash'>;
  /** All of them must have room for its fee. */
  readonly budgets: readonly Budget[];
  readonly channelLimits?: ChannelLimits;
}
