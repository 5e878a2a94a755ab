import type { SealedPayments } from './sealed-payment.ts';
import type { SentPayment } from './sent-payment.ts';

/** What left, or what became of it. Holds no key, no signature and no payment id. */
export type JournalEntry =
  /** Written before the payment leaves. */
  | { readonly event: 'sent'; readonly payment: SentPayment }
  /** What the seller said, for the record: it decides nothing. */
  | {
      readonly event: 'answered';
      readonly at: number;
      readonly txId: string;
      readonly status: number;
      readonly settled: boolean;
    }
  /** What the buyer's own node said. `at`: the time of the block, ms since 1970. */
  | { readonly event: 'confirmed'; readonly at: number; readonly txId: string; readonly round: bigint }
  | { readonly event: 'expired'; readonly at: number; readonly txId: string }
  /** Of a channel's deposit so much is back, or of a maximum so much was not taken, atomic units. */
  | { readonly event: 'returned'; readonly at: number; readonly txId: string; readonly amount: bigint };

/**
 * Remembers payments across processes. `append` resolves when the entry would survive a crash; `read` resolves to every
 * entry that was ever appended, in order.
 */
export interface PaymentJournal {
  read(): Promise<readonly JournalEntry[]>;
  append(entry: JournalEntry): Promise<void>;
  /** Payments as they left, until they are answered. Absent: none is kept, and a new process pays anew for the same request. */
  readonly sealed?: SealedPayments;
}
