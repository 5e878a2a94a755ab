import { writeFile } from 'node:fs/promises';
import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { encodeTransaction, type Transaction, transactionId } from '@avm402/algorand/transaction';
import { type GroupTerms, mandateAddress, type MandateConfig, signByMandate } from '@avm402/avm/mandate';
import { confirmedRound } from '../node/confirmed-round.ts';
import { payingAccount } from '../paying-account.ts';
import type { Terminal } from '../terminal.ts';

/** Rounds in which a group of the owner's can be confirmed: as many as there can be, because a person signs it. */
const WINDOW_ROUNDS = 1_000n;

/** The options of commands whose group the owner signs. */
export const OWNER_OPTIONS = { unsigned: { type: 'string' } } as const;

export const OWNER_HELP = `      --unsigned FILE     sign nothing: write the group to FILE for a wallet, as ARC-1 transactions (JSON); the wallet
                          signs the owner's members, and avm402 mandate send sends it, within 1,000 rounds (about
                          45 minutes)`;

/** Who signs a group of the owner's, and how it goes to the chain. */
export interface OwnerGroup {
  readonly config: MandateConfig;
  readonly group: readonly Transaction[];
  /** Signs what is not the mandate's own. Undefined: a wallet does. */
  readonly account: Account | undefined;
  /** The file for a wallet. */
  readonly unsigned: string | undefined;
}

/** The validity and the fee of a group that is made now. */
export async function termsNow(algod: AlgodClient): Promise<GroupTerms> {
  const { lastRound, genesisId, minFee } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + WINDOW_ROUNDS, genesisId, fee: minFee };
}

/** The owner's account, unless a wallet signs for it. */
export async function ownerAccount(
  terminal: Terminal,
  { unsigned, owner }: { readonly unsigned?: string | undefined; readonly owner?: string | undefined },
): Promise<Account | undefined> {
  return unsigned === undefined ? payingAccount(terminal, owner) : undefined;
}

/** Whether the node refused a group. After any other error it may be confirmed. */
export function wasRefused(error: unknown): boolean {
  return isAlgorandError(error, 'algod_refused') && error.status === 400;
}

/**
 * Signs and sends a group, and resolves to its round; or writes it for a wallet, and resolves to undefined.
 * @throws what algod throws
 */
export async function settleOwnerGroup(algod: AlgodClient, owned: OwnerGroup): Promise<bigint | undefined> {
  const { config, group, account, unsigned } = owned;
  const address = mandateAddress(config);
  if (unsigned !== undefined) {
    const members = group.map((txn) => forWallet(config, txn));
    await writeFile(unsigned, `${JSON.stringify(members, undefined, 2)}\n`);
    return undefined;
  }
  const signed = group.map((txn) => {
    if (txn.sender === address) return signByMandate(config, txn);
    return account?.signTransaction(txn) ?? new Uint8Array();
  });
  await algod.sendRawTransaction(Buffer.concat(signed));
  const [first] = group;
  return first && confirmedRound(algod, transactionId(first), first.lastValid);
}

/** A member as ARC-1 has it: those of the mandate need no more signature. */
function forWallet(config: MandateConfig, txn: Transaction) {
  const encoded = encodeBase64(encodeTransaction(txn));
  if (txn.sender !== mandateAddress(config)) return { txn: encoded };
  return { txn: encoded, signers: [], stxn: encodeBase64(signByMandate(config, txn)) };
}
