// Runs in pages.
import { parseAccount } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';
import type { TransactionWallet } from '@avm402/client';

/** A wallet as use-wallet has it, with an account's signatures; it counts how often it is asked. */
export function countingWallet(secret: string): { readonly wallet: TransactionWallet; readonly asked: () => number } {
  const account = parseAccount(secret);
  let asked = 0;
  const wallet: TransactionWallet = {
    address: account.address,
    signTransactions: async (transactions, indexes = []) => {
      asked++;
      return transactions.map((bytes, index) =>
        indexes.includes(index) ? account.signTransaction(decodeTransaction(bytes)) : null,
      );
    },
  };
  return { wallet, asked: () => asked };
}
