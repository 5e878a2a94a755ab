/** An account of a wallet; signs as `TransactionWallet` of `@avm402/client`. */
export interface WalletAccount {
  /** The account's name in its wallet. */
  readonly name: string;
  readonly address: string;
  /** Revokes what the wallet has allowed this page. */
  disconnect(): Promise<void>;
  signTransactions(transactions: Uint8Array[], indexesToSign?: number[]): Promise<(Uint8Array | null)[]>;
}

/** Wallets by their ids in use-wallet. */
export const WALLETS = [
  { id: 'pera', name: 'Pera', site: 'https://perawallet.app' },
  { id: 'defly', name: 'Defly', site: 'https://defly.app' },
  { id: 'lute', name: 'Lute', site: 'https://lute.app' },
  { id: 'kibisis', name: 'Kibisis', site: 'https://kibis.is' },
] as const;

export type WalletName = (typeof WALLETS)[number]['id'];
