/** An account of a wallet; signs as `TransactionWallet` of `@avm402/client`. */
export interface WalletAccount {
  /** As its wallet calls it. */
  readonly name: string;
  readonly address: string;
  /** Ends what the wallet has allowed this page. */
  disconnect(): Promise<void>;
  signTransactions(transactions: Uint8Array[], indexesToSign?: number[]): Promise<(Uint8Array | null)[]>;
}

/** Wallets by their ids in use-wallet. */
export const WALLETS = [
  { id: 'pera', name: 'Pera' },
  { id: 'defly', name: 'Defly' },
  { id: 'lute', name: 'Lute' },
  { id: 'kibisis', name: 'Kibisis' },
] as const;

export type WalletName = (typeof WALLETS)[number]['id'];
