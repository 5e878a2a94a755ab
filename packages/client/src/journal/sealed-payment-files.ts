import { chmod, mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ANSWER_KEPT_MS, ANSWER_KEPT_ROUNDS } from './unfinished.ts';
import { encodeSealed, parseSealed } from './journal-line.ts';
import type { JournalEntry } from './payment-journal.ts';
import type { SentPayment } from './sent-payment.ts';
import type { UnansweredPayment, SealedPayment, SealedPayments } from './sealed-payment.ts';
import { unless, usable } from './usable-file.ts';

/** The files are as good as money: only their owner may read them. */
const FOLDER_MODE = 0o700;
const MODE = 0o600;

type Outcome = Pick<UnansweredPayment, 'state' | 'confirmedIn'>;

/** Sealed payments in a folder, one file each. The process that holds the journal holds the folder. */
export class SealedPaymentFiles implements SealedPayments {
  readonly #folder: string;
  readonly #left: readonly UnansweredPayment[];
  readonly #taken = new Set<string>();
  readonly #dropping = new Set<Promise<void>>();

  private constructor(folder: string, left: readonly UnansweredPayment[]) {
    this.#folder = folder;
    this.#left = left;
  }

  /**
   * Reads what earlier processes left, and removes what is no longer of use.
   * @throws X402Error `journal_unavailable`
   */
  static async open(folder: string, entries: readonly JournalEntry[], now: number): Promise<SealedPaymentFiles> {
    const outcomes = outcomesOf(entries);
    const latest = latestRounds(entries);
    // By the rounds of later payments, too: a clock that was set forward must not make the same request pay again.
    const isOld = ({ network, sentAt }: SentPayment, { confirmedIn }: Outcome): boolean =>
      confirmedIn !== undefined &&
      (latest.get(network) ?? 0n) - confirmedIn >= ANSWER_KEPT_ROUNDS &&
      now - sentAt >= ANSWER_KEPT_MS;
    const left: UnansweredPayment[] = [];
    // A folder that came from elsewhere, such as a backup, may be open to others.
    await usable(folder, () => unless<void>('ENOENT', undefined, () => chmod(folder, FOLDER_MODE)));
    for (const name of await usable(folder, () => unless<string[]>('ENOENT', [], () => readdir(folder)))) {
      const file = join(folder, name);
      // A payment that a crash cut short, or that the journal does not know, never left.
      const sealed = parseSealed(await usable(folder, () => readFile(file, 'utf8')));
      const outcome = sealed && outcomes.get(sealed.payment.txId);
      if (outcome && !isOld(sealed.payment, outcome)) left.push({ ...sealed, ...outcome });
      else await usable(folder, () => rm(file, { force: true }));
    }
    return new SealedPaymentFiles(folder, left);
  }

  async keep(sealed: SealedPayment): Promise<void> {
    await usable(this.#folder, async () => {
      await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE });
      const file = await open(this.#fileOf(sealed.payment.txId), 'wx', MODE);
      try {
        await file.writeFile(encodeSealed(sealed));
        await file.datasync();
      } finally {
        await file.close();
      }
    });
  }

  async drop(txId: string): Promise<void> {
    this.#taken.add(txId);
    const dropping = rm(this.#fileOf(txId), { force: true });
    this.#dropping.add(dropping);
    await usable(this.#folder, () => dropping).finally(() => this.#dropping.delete(dropping));
  }

  take(fingerprint: string, payer: string | undefined): UnansweredPayment | undefined {
    const found = this.#left.find(
      ({ payment, ...left }) =>
        left.fingerprint === fingerprint &&
        (payer === undefined || payment.payer === payer) &&
        !this.#taken.has(payment.txId),
    );
    if (found) this.#taken.add(found.payment.txId);
    return found;
  }

  /** Waits for removals that are under way, then removes the folder if it is empty. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#dropping);
    await rmdir(this.#folder).catch(() => {});
  }

  #fileOf(txId: string): string {
    return join(this.#folder, encodeURIComponent(txId));
  }
}

/** The outcomes of the payments that may still lack their answer. */
function outcomesOf(entries: readonly JournalEntry[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const entry of entries) {
    if (entry.event === 'sent') {
      outcomes.set(entry.payment.txId, { state: 'sent' });
      continue;
    }
    const outcome = outcomes.get(entry.txId);
    if (!outcome) continue;
    if (entry.event === 'expired') outcomes.delete(entry.txId);
    if (entry.event === 'answered' && entry.status < 300 && !entry.settled) {
      outcomes.set(entry.txId, { ...outcome, state: 'answered' });
    }
    if (entry.event !== 'confirmed') continue;
    if (outcome.state === 'answered') outcomes.delete(entry.txId);
    else outcomes.set(entry.txId, { ...outcome, confirmedIn: entry.round });
  }
  return outcomes;
}

/** The latest round of each network in which a payment was confirmed. */
function latestRounds(entries: readonly JournalEntry[]): Map<string, bigint> {
  const networks = new Map<string, string>();
  const latest = new Map<string, bigint>();
  for (const entry of entries) {
    if (entry.event === 'sent') networks.set(entry.payment.txId, entry.payment.network);
    if (entry.event !== 'confirmed') continue;
    const network = networks.get(entry.txId) ?? '';
    if (entry.round > (latest.get(network) ?? 0n)) latest.set(network, entry.round);
  }
  return latest;
}
