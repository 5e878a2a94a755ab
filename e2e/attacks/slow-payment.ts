import { encodeBase64 } from '@avm402/algorand/base64';
import { multisigAddress } from '@avm402/algorand/multisig';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { encodeTransaction, transactionSigningBytes } from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { torsionKey } from '@avm402/testkit/torsion-key';

/** A node's network; the hash is base64. */
export interface Chain {
  readonly genesisId: string;
  readonly genesisHash: string;
}

/** A payment of a multisig account, with as many signatures as keys; all are good, and only slowly found so. */
export function slowPayment(keys: number, accepted: PaymentRequirements, chain: Chain): PaymentPayload {
  // A key may occur more than once.
  const key = torsionKey(1);
  const parameters = { version: 1, threshold: keys, publicKeys: Array.from({ length: keys }, () => key.publicKey) };
  const txn = {
    type: 'axfer' as const,
    genesisHash: Uint8Array.from(Buffer.from(chain.genesisHash, 'base64')),
    genesisId: chain.genesisId,
    firstValid: 1n,
    lastValid: 1000n,
    fee: 1000n,
    sender: multisigAddress(parameters),
    receiver: accepted.payTo,
    assetId: BigInt(accepted.asset),
    amount: BigInt(accepted.amount),
  };
  const signature = key.sign(transactionSigningBytes(encodeTransaction(txn)));
  const subsignatures = parameters.publicKeys.map((publicKey) => ({ publicKey, signature }));
  const bytes = encodeSignedTransaction({ txn, multisig: { version: 1, threshold: keys, subsignatures } });
  return { x402Version: 2, accepted, payload: { paymentGroup: [encodeBase64(bytes)], paymentIndex: 0 } };
}
