import type { Account } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';
import type { TransactionWallet } from '../src/index.ts';

/** Signs as a wallet does: the transactions that it is asked for, and null for the others. */
export function walletOf(account: Account): TransactionWallet {
  return {
    address: account.address,
    signTransactions: async (transactions, indexes = []) =>
      transactions.map((bytes, index) =>
        indexes.includes(index) ? account.signTransaction(decodeTransaction(bytes)) : null,
      ),
  };
}
