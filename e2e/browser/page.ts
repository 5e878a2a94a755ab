// Runs in the page: a wallet as use-wallet has it, and a paying fetch.
import { parseAccount } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { createPayingFetch, settlementOf, type TransactionWallet } from '@avm402/client';

export interface PageResult {
  readonly status: number;
  readonly body: unknown;
  readonly transaction: string | undefined;
  /** How often the wallet was asked. */
  readonly asked: number;
}

declare global {
  interface Window {
    pay(url: string, algod: { url: string; token: string }, secret: string): Promise<PageResult>;
    /** Called before the body of an answer is read, if a test exposes it. */
    beforeReading?(): Promise<void>;
  }
}

globalThis.window.pay = async (url, algod, secret) => {
  const account = parseAccount(secret);
  let asked = 0;
  const wallet: TransactionWallet = {
    address: account.address,
    signTransactions: (transactions, indexes = []) => {
      asked++;
      return Promise.resolve(
        transactions.map((bytes, index) =>
          indexes.includes(index) ? account.signTransaction(decodeTransaction(bytes)) : null,
        ),
      );
    },
  };
  const fetchPaid = createPayingFetch({ account: wallet, networks: { 'algorand:*': algod } });
  const response = await fetchPaid(url);
  await globalThis.window.beforeReading?.();
  const body: unknown = await response.json();
  return { status: response.status, body, transaction: settlementOf(response)?.transaction, asked };
};
