import { NetworkConfigBuilder, WalletId, WalletManager } from '@txnlab/use-wallet';
import type { PageNetwork } from '../page-facts.ts';
import type { WalletAccount, WalletName } from './wallet.ts';

const IDS: Readonly<Record<WalletName, WalletId>> = {
  pera: WalletId.PERA,
  defly: WalletId.DEFLY,
  lute: WalletId.LUTE,
  kibisis: WalletId.KIBISIS,
};

/** Asks a wallet for its accounts, unless it gave leave before. Rejects with what the wallet says. */
export async function connectWallet(walletName: WalletName, network: PageNetwork): Promise<readonly WalletAccount[]> {
  const id = IDS[walletName];
  const manager = walletManager(id, network);
  const wallet = manager.getWallet(id);
  if (!wallet) throw new Error(`the page has no wallet ${id}`);
  await manager.resumeSessions();
  const accounts = wallet.isConnected ? wallet.accounts : await wallet.connect();
  return accounts.map(({ name, address }) => ({
    name,
    address,
    disconnect: () => wallet.disconnect(),
    signTransactions: (transactions, indexes) => {
      wallet.setActiveAccount(address);
      return wallet.signTransactions(transactions, indexes);
    },
  }));
}

function walletManager(id: WalletId, { name, genesisId, genesisHash, algod }: PageNetwork): WalletManager {
  const networks = new NetworkConfigBuilder()
    .addNetwork(name, {
      algod: { baseServer: algod.url, token: algod.token ?? '' },
      ...(genesisId !== undefined && { genesisId }),
      ...(genesisHash !== undefined && { genesisHash }),
    })
    .build();
  return new WalletManager({ wallets: [id], networks, defaultNetwork: name, options: { resetNetwork: true } });
}
