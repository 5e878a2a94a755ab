import type { SentPayment } from './sent-payment.ts';

/** One line of the journal. It says what left and what became of it; it holds no key, no signature and no payment id. */
export type JournalEntry =
  /** Written before the payment leaves. */
  | { readonly event: 'sent'; readonly payment: SentPayment }
  /** The seller's word, kept for the record: it decides nothing. */
  | {
      readonly event: 'answered';
      readonly at: number;
      readonly txId: string;
      readonly status: number;
      readonly settled: boolean;
    }
  /** The own node's word. `at`: the time of the block. */
  | { readonly event: 'confirmed'; readonly at: number; readonly txId: string; readonly round: bigint }
  | { readonly event: 'expired'; readonly at: number; readonly txId: string };

/**
 * Remembers payments beyond the process. Own implementations: `append` resolves when the entry would survive a crash,
 * and `read` gives everything that was ever appended, in order.
 */
export interface PaymentJournal {
  read(): Promise<readonly JournalEntry[]>;
  append(entry: JournalEntry): Promise<void>;
}
