import type { Account } from '@avm402/algorand/account';
import type { KnownMandate, Mandate } from '@avm402/client/mandate';
import { X402Error } from '@avm402/core/errors';
import { invalidArguments } from '../command/command.ts';
import { readMandateFile } from '../mandate/mandate-file.ts';
import { requireAccount } from '../options/environment.ts';
import { payingAccount } from '../options/paying-account.ts';
import type { Terminal } from '../command/terminal.ts';

/** The option of commands that can pay from a mandate. */
export const MANDATE_OPTION = { mandate: { type: 'string' } } as const;

export const MANDATE_HELP = `      --mandate FILE      pay from the mandate in FILE; the key of the environment is the agent's`;

interface PayingOptions {
  readonly mandate?: string | undefined;
  readonly from?: string | undefined;
  readonly channel?: boolean | undefined;
}

/** Who pays: an account, or a mandate with the key of its agent. */
export type PayingParty = { readonly address: string } & (
  | { readonly payer: { readonly account: Account }; readonly mandate?: never }
  | { readonly payer: { readonly mandate: Mandate; readonly agentKey: Account }; readonly mandate: KnownMandate }
);

/**
 * Who pays, by the options of a command and the environment.
 * @throws X402Error `environment_invalid`, `invalid_arguments`, `invalid_mandate`
 */
export async function payingParty(
  terminal: Terminal,
  { mandate: file, from, channel = false }: PayingOptions,
): Promise<PayingParty> {
  if (file === undefined) {
    const account = await payingAccount(terminal, from);
    return { address: account.address, payer: { account } };
  }
  if (from !== undefined) throw invalidArguments('--mandate and --from exclude each other');
  if (channel) throw invalidArguments('--channel and --mandate exclude each other');
  const { record, mandate } = await readMandateFile(file);
  const agentKey = requireAccount(terminal.environment);
  if (agentKey.address !== mandate.config.agent) {
    const message = `the key here belongs to ${agentKey.address}, and ${file} names the agent ${mandate.config.agent}`;
    throw new X402Error('environment_invalid', { message });
  }
  return { address: mandate.address, payer: { mandate: record, agentKey }, mandate };
}
