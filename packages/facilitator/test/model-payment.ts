import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type AssetTransferTransaction, transactionId } from '@avm402/algorand/transaction';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { ModelChain } from './model-chain.ts';

export const merchant = accountFromSeed(new Uint8Array(32).fill(101));

export interface ModelPayment {
  readonly txId: string;
  readonly payer: Account;
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** The payment as a node takes it. */
  readonly bytes: Uint8Array;
  readonly lastValid: bigint;
}

let notes = 0;

/** An unsponsored payment that a model chain takes from now on, for `rounds` rounds. */
export function modelPayment(
  chain: ModelChain,
  { rounds = 100n, payerSeed = 1, changes = {} }: { rounds?: bigint; payerSeed?: number; changes?: object } = {},
): ModelPayment {
  const payer = accountFromSeed(new Uint8Array(32).fill(payerSeed));
  const firstValid = chain.lastRound || 1n;
  const transaction: AssetTransferTransaction = {
    type: 'axfer',
    sender: payer.address,
    receiver: merchant.address,
    assetId: 10458941n,
    amount: 10_000n,
    fee: 1000n,
    firstValid,
    lastValid: firstValid + rounds,
    genesisId: chain.genesis.genesisId,
    genesisHash: decodeBase64(chain.genesis.genesisHash) ?? new Uint8Array(),
    note: new TextEncoder().encode(String(notes++)),
    ...changes,
  };
  const requirements: PaymentRequirements = {
    scheme: 'exact',
    network: algorandNetwork(chain.genesis.genesisHash),
    asset: '10458941',
    amount: '10000',
    payTo: merchant.address,
    maxTimeoutSeconds: 60,
    extra: {},
  };
  const bytes = payer.signTransaction(transaction);
  const payload = {
    x402Version: 2,
    accepted: requirements,
    payload: { paymentGroup: [encodeBase64(bytes)], paymentIndex: 0 },
  };
  return { txId: transactionId(transaction), payer, payload, requirements, bytes, lastValid: transaction.lastValid };
}

/** The payment, signed by a stranger who names himself as authorizer: the same TxID, and a signature that verifies. */
export function forgedCopy(payment: ModelPayment): ModelPayment {
  const stranger = accountFromSeed(new Uint8Array(32).fill(66), { address: payment.payer.address });
  const bytes = stranger.signTransaction(decodeSignedTransaction(payment.bytes).txn);
  const payload = { paymentGroup: [encodeBase64(bytes)], paymentIndex: 0 };
  return { ...payment, bytes, payload: { ...payment.payload, payload } };
}
