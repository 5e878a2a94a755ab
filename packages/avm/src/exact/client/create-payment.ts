import { isAddress } from '@avm402/algorand/address';
import type { SuggestedParams } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import {
  encodeTransaction,
  transactionId,
  type AssetTransferTransaction,
  type PaymentTransaction,
} from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import { parseAssetId } from '../../network/asset-id.ts';
import { memberFee, type NetworkFees, TRANSFER_BYTES } from '../../node/network-fees.ts';
import type { PaymentSigner } from '../../signing/payment-signer.ts';
import { validityWindow } from '../../node/validity-window.ts';

export interface CreatePaymentOptions {
  readonly requirements: PaymentRequirements;
  readonly params: SuggestedParams;
  /** Whether blocks come as fast as payments do, so that rounds say nothing about time. */
  readonly hasFastBlocks: boolean;
  readonly signer: PaymentSigner;
  /** 16 random bytes that distinguish otherwise equal payments. */
  readonly nonce: Uint8Array;
}

/** A signed payment that was not sent. */
export interface CreatedPayment {
  /** The scheme's payload: `{paymentGroup, paymentIndex}`. */
  readonly payload: { paymentGroup: string[]; paymentIndex: number };
  /** TxID of the payment transaction. */
  readonly txId: string;
  /** TxIDs of the whole group, in order. */
  readonly groupTxIds: readonly string[];
  /** The group's id in base64; absent for a single transfer. */
  readonly groupId?: string;
  /** The first and last round in which the payment can be confirmed. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** µAlgo that the payer pays in fees; 0 if sponsored. */
  readonly fee: bigint;
}

/** The most that a payer pays in fees for one payment, µAlgo. */
export const MAX_FEE = 10_000n;

/** Builds and signs the group of one payment, as specified in scheme_exact_algo. */
export async function createPayment(options: CreatePaymentOptions): Promise<CreatedPayment> {
  const { requirements, signer } = options;
  const feePayer = feePayerOf(requirements, signer.address);
  const plain = transferOf(options, feePayer === undefined);
  const transfer = signer.adapt === undefined ? plain : await signer.adapt(plain);
  const transactions =
    feePayer === undefined ? [transfer] : assignGroup([sponsoredFee(transfer, feePayer, options), transfer]);
  const encoded = transactions.map(encodeTransaction);
  const groupTxIds = encoded.map(transactionId);
  const paymentIndex = transactions.length - 1;
  const signed = await signer.sign({ transactions, encoded }, paymentIndex);
  const paymentGroup = encoded.map((bytes, index) => encodeBase64(index === paymentIndex ? signed : bytes));
  const groupId = transactions[paymentIndex]?.group;
  const { firstValid, lastValid, fee } = transfer;
  return {
    payload: { paymentGroup, paymentIndex },
    txId: groupTxIds[paymentIndex] ?? '',
    groupTxIds,
    ...(groupId && { groupId: encodeBase64(groupId) }),
    firstValid,
    lastValid,
    fee,
  };
}

function feePayerOf({ extra, payTo }: PaymentRequirements, payer: string): string | undefined {
  const feePayer = extra['feePayer'];
  if (feePayer === undefined) return undefined;
  if (typeof feePayer !== 'string' || !isAddress(feePayer)) {
    throw new X402Error('fee_payer_suspicious', { message: 'the offered fee payer is not an address' });
  }
  if (feePayer === payer || feePayer === payTo) throw new X402Error('fee_payer_suspicious');
  return feePayer;
}

function transferOf(options: CreatePaymentOptions, paysFee: boolean): AssetTransferTransaction {
  const { requirements, params, signer, nonce } = options;
  const { payTo, asset, maxTimeoutSeconds } = requirements;
  if (!isAddress(payTo)) throw new X402Error('invalid_pay_to');
  if (payTo === signer.address) throw new X402Error('invalid_exact_avm_payer_is_receiver');
  return {
    type: 'axfer',
    sender: signer.address,
    receiver: payTo,
    assetId: parseAssetId(asset),
    amount: parseAtomicAmount(requirements.amount),
    fee: paysFee ? withinLimit(transferFee(params, signer)) : 0n,
    ...validityWindow(options, maxTimeoutSeconds),
    genesisId: params.genesisId,
    genesisHash: params.genesisHash,
    note: nonce,
  };
}

/** The sponsor's zero payment to itself, which carries the fee of both transactions. */
function sponsoredFee(
  transfer: AssetTransferTransaction,
  feePayer: string,
  { params, signer }: CreatePaymentOptions,
): PaymentTransaction {
  const { firstValid, lastValid, genesisId, genesisHash } = transfer;
  return {
    type: 'pay',
    sender: feePayer,
    receiver: feePayer,
    amount: 0n,
    fee: memberFee(params, TRANSFER_BYTES) + transferFee(params, signer),
    firstValid,
    lastValid,
    ...(genesisId !== undefined && { genesisId }),
    genesisHash,
  };
}

/** µAlgo for the transfer, whose signature may cost more than a key's. */
function transferFee(fees: NetworkFees, { signatureCost: cost }: PaymentSigner): bigint {
  return memberFee(fees, TRANSFER_BYTES + (cost?.bytes ?? 0)) + (cost?.minFees ?? 0n) * fees.minFee;
}

function withinLimit(fee: bigint): bigint {
  if (fee <= MAX_FEE) return fee;
  throw new X402Error('fee_above_limit', {
    message: `the network asks for ${fee} µAlgo; the limit is ${MAX_FEE} µAlgo`,
  });
}
