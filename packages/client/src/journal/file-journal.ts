import { rm } from 'node:fs/promises';
import { encodeEntry, parseEntry } from './journal-line.ts';
import { openLineFile, readLineFile, type LineFile, type LineFileOptions, type LineFormat } from './line-file.ts';
import type { JournalEntry, PaymentJournal } from './payment-journal.ts';
import { SealedPaymentFiles } from './sealed-payment-files.ts';

/** A journal in a file. This process holds the file until it closes the journal. */
export interface FileJournal extends PaymentJournal {
  close(): Promise<void>;
}

export interface FileJournalOptions extends LineFileOptions {
  /**
   * Keeps each payment, as it was sent, in a file of its own in the folder `PATH.proofs`, until it is answered: after a
   * crash the same request sends the same payment. Anyone who can read that file can collect what was paid for. Default
   * true.
   */
  readonly keepProofs?: boolean;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

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
 * @throws X402Error `journal_locked`, `journal_corrupt` (names the line), `journal_unavailable`, `invalid_spend_options`
 */
export async function openFileJournal(path: string, options: FileJournalOptions = {}): Promise<FileJournal> {
  const lines = await openLineFile(path, FORMAT, options);
  const { keepProofs = true, now = Date.now } = options;
  const folder = `${lines.path}.proofs`;
  try {
    if (keepProofs) return withProofs(lines, await SealedPaymentFiles.open(folder, await lines.read(), now()));
    await rm(folder, { recursive: true, force: true });
    return lines;
  } catch (error) {
    await lines.close();
    throw error;
  }
}

/**
 * Reads the entries of a payment journal, also while another process holds it.
 * @throws X402Error `journal_corrupt` (names the line), `journal_unavailable`
 */
export function readFileJournal(path: string): Promise<readonly JournalEntry[]> {
  return readLineFile(path, FORMAT);
}

function withProofs(lines: LineFile<JournalEntry>, sealed: SealedPaymentFiles): FileJournal {
  return {
    read: () => lines.read(),
    async append(entry) {
      await lines.append(entry);
      if (entry.event === 'expired') await sealed.drop(entry.txId);
    },
    async close() {
      await sealed.close();
      await lines.close();
    },
    sealed,
  };
}
