import { existsSync } from 'node:fs';
import type { PaymentJournal } from '@avm402/client';
import { readFileJournal } from '@avm402/client/file-journal';
import { invalidArguments } from '../command.ts';

/**
 * The journal of a command that only reads it, also while another process holds it.
 * @throws X402Error `invalid_arguments` if there is no such file
 */
export function journalToRead(file: string | undefined): PaymentJournal {
  if (file === undefined) {
    const message = '--journal FILE is missing: the file that pay --journal or mcp --journal writes';
    throw invalidArguments(message);
  }
  if (!existsSync(file)) throw invalidArguments(`there is no journal ${file}`);
  // What is learned about its payments is left for their own process to write.
  return { read: () => readFileJournal(file), append: () => Promise.resolve() };
}
