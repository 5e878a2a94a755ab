import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { Transaction } from '@avm402/algorand/transaction';

/** µAlgo that it costs. */
export const SEND_FEE = 1_000n;
const WINDOW_ROUNDS = 100n;

/** A transaction without its sender, its fee and its window. */
type Deed<Kind = Transaction> = Kind extends Transaction
  ? Omit<Kind, 'sender' | 'fee' | 'firstValid' | 'lastValid' | 'genesisId' | 'genesisHash'>
  : never;

/** Sends one transaction of an account, which pays its own fee; resolves to its TxID. */
export async function sendFrom(algod: AlgodClient, by: Account, deed: Deed): Promise<string> {
  const { genesisHash, genesisId, lastRound } = await algod.params();
  const window = { firstValid: lastRound || 1n, lastValid: lastRound + WINDOW_ROUNDS };
  const header = { sender: by.address, fee: SEND_FEE, ...window, genesisId, genesisHash };
  const { txId } = await algod.sendRawTransaction(by.signTransaction({ ...header, ...deed }));
  return txId;
}
