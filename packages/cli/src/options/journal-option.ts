import { existsSync } from 'node:fs';
import type { PaymentJournal } from '@avm402/client';
import { readFileJournal } from '@avm402/client/file-journal';
import { invalidArguments } from '../command/command.ts';

/** A command that begins a journal. */
const EXAMPLE = 'avm402 pay URL --journal payments.jsonl';

/** The option's help for commands that only read it. */
export const JOURNAL_TO_READ_HELP = `      --journal FILE      the file that "pay --journal" or "mcp --journal" writes; without one nothing is
                          remembered, so begin it with ${EXAMPLE}`;

/**
 * The journal of a command that only reads it, also while another process holds it.
 * @throws X402Error `invalid_arguments` if there is no such file
 */
export function journalToRead(file: string | undefined): PaymentJournal {
  if (file === undefined) {
    throw invalidArguments(
      `--journal FILE is missing: pay remembers payments only in a file that you name, such as ${EXAMPLE}`,
    );
  }
  if (!existsSync(file))
    throw invalidArguments(`there is no journal ${file}; this begins one: avm402 pay URL --journal ${file}`);
  // What is learned about its payments is left for their own process to write.
  return { read: () => readFileJournal(file), append: () => Promise.resolve() };
}
