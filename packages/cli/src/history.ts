import { amountInWords } from '@avm402/client/diagnosis';
import { parseAtomicAmount } from '@avm402/core/price';
import { command, valueOf } from './command.ts';
import { JOURNAL_TO_READ_HELP, journalToRead } from './options/journal-option.ts';
import { type PastPayment, paymentHistory } from './payment-history.ts';

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
