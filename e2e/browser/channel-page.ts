// Runs in the page: a fetch that pays through a channel.
import { createPayingFetch, settlementOf } from '@avm402/client';
import { browserChannelStore } from '@avm402/client/browser-channel-store';
import { countingWallet } from './wallet.ts';

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
  const { wallet, asked } = countingWallet(secret);
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
  return { statuses, transactions: [...transactions], charged: charged.toString(), asked: asked() };
};
