import type { JournalEntry, SentPayment } from '@avm402/client';
import { amountInWords } from '@avm402/client/diagnosis';
import { parseAtomicAmount } from '@avm402/core/price';
import { command, valueOf } from './command/command.ts';
import { JOURNAL_TO_READ_HELP, journalToRead } from './options/journal-option.ts';

const help = `Usage: avm402 history --journal FILE [options]

Lists the payments in a journal, the newest first: when, how much, what became of it, and for what. "confirmed" is on
chain, "expired" never will be, "settled" and "refused" are what the seller said; of "sent" nothing else is known.

${JOURNAL_TO_READ_HELP}
      --limit N           the newest N (default 20)
      --json              JSON, with amounts in atomic units`;

export const history = command({
  summary: 'list what was paid',
  help,
  options: { journal: { type: 'string' }, limit: { type: 'string', default: '20' }, json: { type: 'boolean' } },
  positionals: [],
  async run({ journal, limit }) {
    const most = Number(valueOf('--limit', () => parseAtomicAmount(limit)));
    const all = paymentHistory(await journalToRead(journal).read());
    const shown = all.slice(0, most);
    const older = shown.length < all.length ? [`… and ${all.length - shown.length} older`] : [];
    const lines = all.length === 0 ? ['the journal has no payment'] : [...shown.flatMap(linesOf), ...older];
    return { json: shown, lines };
  },
});

function linesOf(payment: PastPayment): string[] {
  const { at, state, method, origin, path, txId } = payment;
  const when = at.slice(0, 16).replace('T', ' ');
  return [`${when}  ${amountInWords(payment).padEnd(8)}  ${state.padEnd(9)}  ${method} ${origin}${path}`, `  ${txId}`];
}

/** A payment of the journal, and its last known state. */
export interface PastPayment {
  readonly at: string;
  readonly txId: string;
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Atomic units, less what came back. */
  readonly amount: bigint;
  readonly asset: string;
  readonly network: string;
  readonly payTo: string;
  /** `settled` is the seller's word, `confirmed` and `expired` are the word of the buyer's node. */
  readonly state: 'sent' | 'refused' | 'settled' | 'confirmed' | 'expired';
}

/** The payments of a journal, the newest first. */
export function paymentHistory(entries: readonly JournalEntry[]): PastPayment[] {
  const past = new Map<string, PastPayment>();
  for (const entry of entries) {
    if (entry.event === 'sent') {
      past.set(entry.payment.txId, pastPayment(entry.payment));
      continue;
    }
    const known = past.get(entry.txId);
    if (!known) continue;
    const back = entry.event === 'returned' ? entry.amount : 0n;
    past.set(entry.txId, { ...known, amount: known.amount - back, state: stateAfter(known.state, entry) });
  }
  return [...past.values()].toReversed();
}

function pastPayment({ txId, origin, method, path, amount, asset, network, payTo, sentAt }: SentPayment): PastPayment {
  const at = new Date(sentAt).toISOString();
  return { at, txId, origin, method, path, amount, asset, network, payTo, state: 'sent' };
}

/** The state after an entry. What the buyer's node has seen is final. */
function stateAfter(state: PastPayment['state'], entry: JournalEntry): PastPayment['state'] {
  if (entry.event === 'confirmed' || entry.event === 'expired') return entry.event;
  if (entry.event !== 'answered' || state === 'confirmed' || state === 'expired') return state;
  if (entry.settled) return 'settled';
  // Any other answer without a settlement leaves the outcome open, also one that came before the payment's block.
  return entry.status === 402 ? 'refused' : state;
}
