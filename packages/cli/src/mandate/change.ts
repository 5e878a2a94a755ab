import type { Transaction } from '@avm402/algorand/transaction';
import type { GroupTerms } from '@avm402/avm/mandate';
import { X402Error } from '@avm402/core/errors';
import type { Result } from '../command/command.ts';
import { algodOf } from '../options/environment.ts';
import type { Terminal } from '../command/terminal.ts';
import { explain } from '../words/explain.ts';
import { type MandateInFile, type MandateRecord, replaceMandateFile } from './mandate-file.ts';
import { OWNER_OPTIONS, ownerSigner, settleOwnerGroup, termsNow, hasNotLeft } from './owner-group.ts';

export const CHANGE_OPTIONS = { ...OWNER_OPTIONS, json: { type: 'boolean' } } as const;

/** What the owner changes about a mandate, by one group. */
export interface Change {
  readonly unsigned: string | undefined;
  readonly group: (terms: GroupTerms, by: string) => readonly Transaction[];
  /** Who must sign; undefined: anybody may. */
  readonly owner: string | undefined;
  /** Atomic units that the mandate has got in all, once it is confirmed; undefined: that is not known then. */
  readonly funded: bigint | undefined;
}

/**
 * Settles a group about a mandate, and counts what the mandate got once that is confirmed. Resolves to its round, or to
 * undefined if a wallet signs it: then nobody here knows what becomes of it.
 */
export async function changeMandate(
  file: string,
  { mandate, record }: MandateInFile,
  wanted: Change,
  terminal: Terminal,
): Promise<bigint | undefined> {
  const { unsigned, group, owner, funded } = wanted;
  const { config } = mandate;
  const algod = algodOf(terminal.environment);
  const signer = await ownerSigner(terminal, unsigned, { wallet: config.owner, mandate: file });
  if (owner !== undefined && signer.address !== owner) {
    const message = `only the owner ${owner} can do this; the key here belongs to ${signer.address}`;
    throw new X402Error('environment_invalid', { message });
  }
  const members = group(await termsNow(algod), signer.address);
  const { funded: _, ...uncounted } = record;
  await replaceMandateFile(file, uncounted);
  const owned = { config, group: members, signer };
  const round = await settleOwnerGroup(algod, owned, terminal.interrupted()).catch(async (error: unknown) => {
    if (hasNotLeft(error)) await replaceMandateFile(file, record);
    throw error;
  });
  if (round !== undefined && funded !== undefined)
    await count({ ...uncounted, funded: String(funded) }, file, terminal);
  return round;
}

/** Writes what a mandate has got. If that fails, the money is there all the same, and nobody must send it again. */
async function count(record: MandateRecord, file: string, terminal: Terminal): Promise<void> {
  try {
    await replaceMandateFile(file, record);
  } catch (error) {
    terminal.error(`warning: what the mandate got is not counted: ${explain(error).message}`);
  }
}

/** What became of a change: it is in a round, or in a file for a wallet. */
export function changed(words: string, round: bigint | undefined, unsigned: string | undefined): Result {
  const line =
    round === undefined
      ? `${words}: ${unsigned ?? ''} is for a wallet of the owner, which signs and sends it`
      : `${words} (round ${round})`;
  return { json: { round, unsigned }, lines: [line] };
}
