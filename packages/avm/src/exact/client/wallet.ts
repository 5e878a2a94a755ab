import type { Account } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';

/** Signs transactions of one address; the `ClientAvmSigner` of the stock package and of use-wallet. */
export interface TransactionWallet {
  readonly address: string;
  /** Signs the members named by index; the others come back as null. */
  signTransactions(transactions: Uint8Array[], indexesToSign?: number[]): Promise<(Uint8Array | null)[]>;
}

export function isAccount(value: Account | TransactionWallet): value is Account {
  return 'signTransaction' in value;
}

/** A wallet made of an account whose key is at hand. */
export function accountWallet(account: Account): TransactionWallet {
  return {
    address: account.address,
    signTransactions: (transactions, indexesToSign) => {
      const chosen = new Set(indexesToSign ?? transactions.keys());
      const signed = transactions.map((bytes, index) =>
        chosen.has(index) ? account.signTransaction(decodeTransaction(bytes)) : null,
      );
      return Promise.resolve(signed);
    },
  };
}
