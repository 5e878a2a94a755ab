import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { PaymentTransaction } from '@avm402/algorand/transaction';

/** From now on the key of another address signs for an account. */
export async function rekey(algod: AlgodClient, from: Account, to: string): Promise<void> {
  const { genesisId, genesisHash, lastRound, minFee } = await algod.params();
  const txn: PaymentTransaction = {
    type: 'pay',
    sender: from.address,
    receiver: from.address,
    amount: 0n,
    fee: minFee,
    firstValid: lastRound,
    lastValid: lastRound + 100n,
    genesisId,
    genesisHash,
    rekeyTo: to,
  };
  await algod.sendRawTransaction(from.signTransaction(txn));
}
