import { encodeEntry, parseEntry } from './journal-line.ts';
import { openLineFile, type LineFormat } from './line-file.ts';
import type { JournalEntry, PaymentJournal } from './payment-journal.ts';

/** A journal in a file. This process holds it until it closes it. */
export interface FileJournal extends PaymentJournal {
  close(): Promise<void>;
}

export interface FileJournalOptions {
  /** How long to wait while another process holds the journal, ms. Default 10,000. */
  readonly lockTimeoutMs?: number;
}

const LOCK_TIMEOUT_MS = 10_000;
const FORMAT: LineFormat<JournalEntry> = { name: 'payment journal', encode: encodeEntry, parse: parseEntry };

/**
 * Opens a payment journal: a file of JSON lines that is only appended to. Each payment is on disk before it leaves. A
 * line that a crash cut short was never acted on, and is removed. One process at a time holds a journal, because two
 * would not know of each other's spending.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount } from '@avm402/client';
 * import { openFileJournal } from '@avm402/client/file-journal';
 *
 * const journal = await openFileJournal('payments.jsonl');
 * const fetchPaid = createPayingFetch({ account: parseAccount('… 25 words …'), spend: { perDay: '$5' }, journal });
 * await fetchPaid('http://127.0.0.1:4021/weather');
 * await journal.close();
 * ```
 *
 * @throws X402Error `journal_locked`, `journal_corrupt` (names the line), `journal_unavailable`
 */
export function openFileJournal(path: string, options: FileJournalOptions = {}): Promise<FileJournal> {
  return openLineFile(path, FORMAT, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
}
