import type { MultisigParameters, MultisigSigner } from '@avm402/algorand/multisig';
import { appendSignature, multisigAddress, signMultisig } from '@avm402/algorand/multisig';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, transactionSigningBytes } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { TransactionWallet } from './wallet.ts';

export interface MultisigWalletOptions {
  readonly parameters: MultisigParameters;
  /** At least `threshold` of the keys' accounts. */
  readonly signers: readonly MultisigSigner[];
  /** The account to pay from, when it is rekeyed to the multisig. Default: the multisig's own address. */
  readonly address?: string;
}

/**
 * A wallet of a multisig account that signs with keys held by this process.
 * @throws X402Error `signer_failed` (too few signers); AlgorandError `invalid_multisig`
 */
export function createMultisigWallet({ parameters, signers, address }: MultisigWalletOptions): TransactionWallet {
  const authorizer = multisigAddress(parameters);
  const [first, ...others] = signers.slice(0, parameters.threshold);
  if (first === undefined || signers.length < parameters.threshold) {
    throw new X402Error('signer_failed', {
      message: `the multisig account needs ${parameters.threshold} signers, not ${signers.length}`,
    });
  }
  const sender = address ?? authorizer;
  const sign = (bytes: Uint8Array): Uint8Array => {
    const txn = decodeTransaction(bytes);
    const message = transactionSigningBytes(bytes);
    const begun = signMultisig(parameters, message, first);
    const multisig = others.reduce((partial, signer) => appendSignature(partial, message, signer), begun);
    return encodeSignedTransaction({ txn, multisig, ...(sender !== authorizer && { authAddress: authorizer }) });
  };
  return {
    address: sender,
    signTransactions: (transactions, indexesToSign) => {
      const chosen = new Set(indexesToSign ?? transactions.keys());
      return Promise.resolve(transactions.map((bytes, index) => (chosen.has(index) ? sign(bytes) : null)));
    },
  };
}
