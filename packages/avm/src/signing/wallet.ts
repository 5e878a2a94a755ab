/** Signs transactions of one address; the `ClientAvmSigner` of the stock package and of use-wallet. */
export interface TransactionWallet {
  readonly address: string;
  /** Signs the members named by index; the others come back as null, or not at all. */
  signTransactions(transactions: Uint8Array[], indexesToSign?: number[]): Promise<(Uint8Array | null)[]>;
}
