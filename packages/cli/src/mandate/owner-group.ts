import { realpath, writeFile } from 'node:fs/promises';
import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { encodeTransaction, MAX_WINDOW_ROUNDS, type Transaction } from '@avm402/algorand/transaction';
import { type GroupTerms, mandateAddress, type MandateConfig, signByMandate } from '@avm402/avm/mandate';
import { isX402Error } from '@avm402/core/errors';
import { invalidArguments } from '../command/command.ts';
import { settleGroup } from '../node/settle-group.ts';
import { accessible } from '../options/input-file.ts';
import { payingAccount } from '../options/paying-account.ts';
import type { Terminal } from '../command/terminal.ts';

/** The options of commands whose group the owner signs. */
export const OWNER_OPTIONS = { unsigned: { type: 'string' } } as const;

export const OWNER_HELP = `      --unsigned FILE     sign nothing: write the group to FILE for a wallet, as ARC-1 transactions (JSON); the wallet
                          signs the owner's members, and avm402 mandate send sends it, within 1,000 rounds (about
                          45 minutes)`;

/** Who signs for the owner: an account here, or a wallet, for which the group is written to a file. */
export type OwnerSigner =
  | { readonly address: string; readonly account: Account }
  | { readonly address: string; readonly file: string; readonly mandate: string };

/** A group of the owner's, and who signs its members that are not the mandate's own. */
export interface OwnerGroup {
  readonly config: MandateConfig;
  readonly group: readonly Transaction[];
  readonly signer: OwnerSigner;
}

/** The validity and the fee of a group that is made now. It is valid for as long as can be, because a person signs it. */
export async function termsNow(algod: AlgodClient): Promise<GroupTerms> {
  const { lastRound, genesisId, minFee } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + MAX_WINDOW_ROUNDS, genesisId, fee: minFee };
}

interface OwnerNames {
  /** The owner's account, if it is rekeyed to the environment's key. */
  readonly from?: string | undefined;
  /** The account of the wallet. */
  readonly wallet: string | undefined;
  /** The mandate's own file. A group in its place would be the end of the mandate's money. */
  readonly mandate: string;
}

/**
 * Who signs: the account of the environment, or if there is a file for it the wallet of an address.
 * @throws X402Error `invalid_arguments`, `environment_invalid`
 */
export async function ownerSigner(
  terminal: Terminal,
  file: string | undefined,
  { from, wallet, mandate }: OwnerNames,
): Promise<OwnerSigner> {
  if (file === undefined) {
    const account = await payingAccount(terminal, from);
    return { address: account.address, account };
  }
  if (wallet === undefined) throw invalidArguments('--unsigned needs --owner: the account of the wallet');
  return { address: wallet, file, mandate };
}

/** Whether the node refused a group, or its file was not written. After any other error it may be confirmed. */
export function hasNotLeft(error: unknown): boolean {
  if (isX402Error(error, 'invalid_arguments')) return true;
  return isAlgorandError(error, 'algod_refused') && error.status === 400;
}

/**
 * Signs and sends a group, and resolves to its round; or writes it for a wallet, and resolves to undefined.
 * @throws X402Error `invalid_arguments` if the file can't be written, `request_failed`,
 * `payment_outcome_unknown`; what algod throws
 */
export async function settleOwnerGroup(
  algod: AlgodClient,
  { config, group, signer }: OwnerGroup,
  interrupted: AbortSignal,
): Promise<bigint | undefined> {
  if ('file' in signer) {
    const { file, mandate } = signer;
    // Through a link, too, also one that led nowhere before the mandate's file was made.
    const [place, own] = await Promise.all([file, mandate].map((path) => realpath(path).catch(() => undefined)));
    if (place !== undefined && place === own)
      throw invalidArguments(`--unsigned: ${file} is the file of the mandate itself`);
    const members = group.map((txn) => forWallet(config, txn));
    await accessible('write', file, () => writeFile(file, `${JSON.stringify(members, undefined, 2)}\n`));
    return undefined;
  }
  const address = mandateAddress(config);
  const signed = group.map((txn) =>
    txn.sender === address ? signByMandate(config, txn) : signer.account.signTransaction(txn),
  );
  const [first] = group;
  return first && settleGroup(algod, Buffer.concat(signed), first, interrupted);
}

/** A member as ARC-1 has it: those of the mandate need no more signature. */
function forWallet(config: MandateConfig, txn: Transaction) {
  const encoded = encodeBase64(encodeTransaction(txn));
  if (txn.sender !== mandateAddress(config)) return { txn: encoded };
  return { txn: encoded, signers: [], stxn: encodeBase64(signByMandate(config, txn)) };
}
