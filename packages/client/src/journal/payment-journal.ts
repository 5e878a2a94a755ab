import type { SealedPayments } from './sealed-payment.ts';
import type { SentPayment } from './sent-payment.ts';

/** A payment that left, or what became of it. Holds no key, no signature and no payment id. */
export type JournalEntry =
  /** Written before the payment leaves. */
  | { readonly event: 'sent'; readonly payment: SentPayment }
  /** The seller's answer, for the record: it decides nothing. */
  | {
      readonly event: 'answered';
      readonly at: number;
      readonly txId: string;
      readonly status: number;
      readonly settled: boolean;
    }
  /** The answer of the buyer's own node. `at`: the time of the block, ms since 1970. */
  | { readonly event: 'confirmed'; readonly at: number; readonly txId: string; readonly round: bigint }
  | { readonly event: 'expired'; readonly at: number; readonly txId: string }
  /** Its window is long over, and the buyer's own node no longer has the blocks that tell whether it was confirmed. */
  | { readonly event: 'forgotten'; readonly at: number; readonly txId: string }
  /** A part of a channel's deposit came back, or a part of a maximum was not taken. `amount`: atomic units. */
  | { readonly event: 'returned'; readonly at: number; readonly txId: string; readonly amount: bigint };

/**
 * Remembers payments across processes. `append` resolves when the entry would survive a crash; `read` resolves to every
 * entry that was ever appended, in order.
 */
export interface PaymentJournal {
  read(): Promise<readonly JournalEntry[]>;
  append(entry: JournalEntry): Promise<void>;
  /**
   * Payments as they left, until they are answered. Absent: none are kept, and a new process pays again for the same
   * request.
   */
  readonly sealed?: SealedPayments;
}
