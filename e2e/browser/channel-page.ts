// Runs in the page: a wallet as use-wallet has it, and a fetch that pays through a channel.
import { parseAccount } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { createPayingFetch, settlementOf, type TransactionWallet } from '@avm402/client';
import { browserChannelStore } from '@avm402/client/browser-channel-store';

export interface ManyPaid {
  readonly statuses: readonly number[];
  /** TxIDs, each once; '' for a voucher. */
  readonly transactions: readonly string[];
  readonly charged: string;
  /** How often the wallet was asked. */
  readonly asked: number;
}

declare global {
  interface Window {
    payMany(url: string, count: number, algod: { url: string; token: string }, secret: string): Promise<ManyPaid>;
  }
}

globalThis.window.payMany = async (url, count, algod, secret) => {
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
  const networks = { 'algorand:*': algod };
  const channels = { store: browserChannelStore() };
  const fetchPaid = createPayingFetch({ account: wallet, networks, channels, preempt: true });
  const statuses: number[] = [];
  const transactions = new Set<string>();
  let charged = 0n;
  for (let request = 0; request < count; request++) {
    const response = await fetchPaid(`${url}?days=${1 + (request % 14)}`);
    await response.arrayBuffer();
    statuses.push(response.status);
    const settlement = settlementOf(response);
    transactions.add(settlement?.transaction ?? 'none');
    const cost = settlement?.extra?.['chargedAmount'];
    charged += BigInt(typeof cost === 'string' ? cost : 0);
  }
  return { statuses, transactions: [...transactions], charged: charged.toString(), asked };
};
