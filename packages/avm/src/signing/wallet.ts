import type { AssetTransferTransaction } from '@avm402/algorand/transaction';

/** The cost that a signature adds to the fee of a transfer, beyond that of a key's signature. */
export interface SignatureCost {
  /** Its bytes, where a network's fee goes by the byte. */
  readonly bytes: number;
  /** The minimum fees that the chain asks for it besides the transaction's own. A Falcon signature costs two. */
  readonly minFees: bigint;
}

/** Signs transactions of one address. Has the shape of `ClientAvmSigner` of the stock package and of use-wallet. */
export interface TransactionWallet {
  readonly address: string;
  /** Signs the members named by index. The others come back as null, or are left out. */
  signTransactions(transactions: Uint8Array[], indexesToSign?: number[]): Promise<(Uint8Array | null)[]>;
  /**
   * The transfer as the program of the account allows it: with a lease, or other last valid round. A wallet of keys has
   * none, because a key signs any transfer.
   */
  adapt?(transfer: AssetTransferTransaction): Promise<AssetTransferTransaction>;
  /** What its signature costs. Absent: no more than a key's. */
  readonly signatureCost?: SignatureCost;
}
