import { amountInWords } from '@avm402/client/diagnosis';
import { parseArguments, type Command, valueOf } from './command.ts';
import { journalToRead } from './options/journal-option.ts';
import { type PastPayment, paymentHistory } from './payment-history.ts';
import { EXIT } from './words/exit-code.ts';
import { parseAtomicAmount } from '@avm402/core/price';

const help = `Usage: avm402 history --journal FILE [options]

Lists the payments in a journal, the newest first: when, how much, what became of it, and for what. "confirmed" is on
chain, "expired" never will be, "settled" and "refused" is what the seller said, "sent" is all that is known.

      --journal FILE      the file that "pay --journal" or "mcp --journal" writes
      --limit N           the newest N (default 20)
      --json              JSON, with amounts in atomic units`;

const OPTIONS = {
  journal: { type: 'string' },
  limit: { type: 'string', default: '20' },
  json: { type: 'boolean' },
} as const;

export const history: Command = {
  summary: 'list what was paid',
  help,
  async run(args, terminal) {
    const { values } = parseArguments(args, OPTIONS, []);
    const limit = Number(valueOf('--limit', () => parseAtomicAmount(values.limit)));
    const all = paymentHistory(await journalToRead(values.journal).read());
    const shown = all.slice(0, limit);
    if (values.json === true) terminal.printJson(shown);
    else if (shown.length === 0) terminal.print('the journal has no payment');
    else
      terminal.print(
        ...shown.flatMap(linesOf),
        ...(shown.length < all.length ? [`… and ${all.length - shown.length} older`] : []),
      );
    return EXIT.done;
  },
};

function linesOf(payment: PastPayment): string[] {
  const { at, state, method, origin, path, txId } = payment;
  const when = at.slice(0, 16).replace('T', ' ');
  return [`${when}  ${amountInWords(payment).padEnd(8)}  ${state.padEnd(9)}  ${method} ${origin}${path}`, `  ${txId}`];
}
