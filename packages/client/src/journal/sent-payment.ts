import type { Network } from '@avm402/core/network';

/** A payment that left, or is about to leave, this process. Nothing in it is secret. */
export interface SentPayment {
  /**
   * TxID of the payment transaction. For an `upto` payment, whose TxID depends on the charge: `upto:` and its lease.
   */
  readonly txId: string;
  /** TxIDs of its whole group, in order; empty for an `upto` payment. */
  readonly groupTxIds: readonly string[];
  /** The group's id in base64; absent for a transfer alone. */
  readonly groupId?: string;
  /** The lease of an `upto` payment, in base64. The transfer that settles the payment carries it. */
  readonly lease?: string;
  /**
   * The lease of a payment by mandate, in base64. If another payment takes it until `lastValid`, this one can't be
   * confirmed any more.
   */
  readonly slotLease?: string;
  readonly network: Network;
  readonly asset: string;
  /** Atomic units; for an `upto` payment, its maximum. */
  readonly amount: bigint;
  readonly payTo: string;
  readonly payer: string;
  /** µAlgo that the payer pays in fees; 0 when sponsored. */
  readonly fee: bigint;
  /** Rounds between which it can be confirmed. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** Origin, method and path of the request that was paid for; the query is left out. */
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}
