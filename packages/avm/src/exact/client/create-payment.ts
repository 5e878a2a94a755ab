import { isAddress } from '@avm402/algorand/address';
import type { SuggestedParams } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import {
  encodeTransaction,
  transactionId,
  type AssetTransferTransaction,
  type PaymentTransaction,
  type Transaction,
} from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import type { TransactionWallet } from './wallet.ts';
import { windowRounds } from './validity-window.ts';

export interface CreatePaymentOptions {
  readonly requirements: PaymentRequirements;
  readonly params: SuggestedParams;
  readonly wallet: TransactionWallet;
  /** 16 random bytes; they keep two equal payments apart. */
  readonly nonce: Uint8Array;
}

/** A signed payment that has not been sent. */
export interface CreatedPayment {
  /** The scheme's payload: `{paymentGroup, paymentIndex}`. */
  readonly payload: { paymentGroup: string[]; paymentIndex: number };
  /** TxID of the payment transaction. */
  readonly txId: string;
  /** TxIDs of the whole group, in order. */
  readonly groupTxIds: readonly string[];
  /** Rounds between which the payment can be confirmed. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** µAlgo that the payer pays in fees; 0 when sponsored. */
  readonly fee: bigint;
}

/** Most that a payer pays in fees for one payment, µAlgo. */
const MAX_FEE = 10_000n;
/** An encoded signed transfer; what a per-byte fee is reckoned with. */
const TYPICAL_BYTES = 350n;

/** Builds and signs the group of one payment (design of the scheme: scheme_exact_algo). */
export async function createPayment(options: CreatePaymentOptions): Promise<CreatedPayment> {
  const { requirements, wallet } = options;
  const feePayer = feePayerOf(requirements, wallet.address);
  const transfer = transferOf(options, feePayer === undefined);
  const group =
    feePayer === undefined ? [transfer] : assignGroup([sponsoredFee(transfer, feePayer, options), transfer]);
  const paymentIndex = group.length - 1;
  const paymentGroup = await signMember(group, paymentIndex, wallet);
  const groupTxIds = group.map((member) => transactionId(member));
  const { firstValid, lastValid, fee } = transfer;
  const txId = groupTxIds[paymentIndex] ?? '';
  return { payload: { paymentGroup, paymentIndex }, txId, groupTxIds, firstValid, lastValid, fee };
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
  const { requirements, params, wallet, nonce } = options;
  if (!isAddress(requirements.payTo)) throw new X402Error('invalid_pay_to');
  if (!/^[1-9]\d{0,19}$/.test(requirements.asset)) throw new X402Error('unsupported_asset');
  return {
    type: 'axfer',
    sender: wallet.address,
    receiver: requirements.payTo,
    assetId: BigInt(requirements.asset),
    amount: parseAtomicAmount(requirements.amount),
    fee: paysFee ? withinLimit(memberFee(params)) : 0n,
    firstValid: params.lastRound,
    lastValid: params.lastRound + windowRounds(params.genesisId, requirements.maxTimeoutSeconds),
    genesisId: params.genesisId,
    genesisHash: params.genesisHash,
    note: nonce,
  };
}

/** The sponsor's zero payment to itself, which carries the fee of both. */
function sponsoredFee(
  transfer: AssetTransferTransaction,
  feePayer: string,
  { params }: CreatePaymentOptions,
): PaymentTransaction {
  const { firstValid, lastValid, genesisId, genesisHash } = transfer;
  return {
    type: 'pay',
    sender: feePayer,
    receiver: feePayer,
    amount: 0n,
    fee: 2n * memberFee(params),
    firstValid,
    lastValid,
    ...(genesisId !== undefined && { genesisId }),
    genesisHash,
  };
}

/** µAlgo for one transaction. */
function memberFee({ fee, minFee }: SuggestedParams): bigint {
  const byBytes = fee * TYPICAL_BYTES;
  return byBytes > minFee ? byBytes : minFee;
}

function withinLimit(fee: bigint): bigint {
  if (fee <= MAX_FEE) return fee;
  throw new X402Error('fee_above_limit', {
    message: `the network asks for ${fee} µAlgo; the limit is ${MAX_FEE} µAlgo`,
  });
}

/** Base64 of the group with one member signed; the others stay as they are. */
async function signMember(group: readonly Transaction[], index: number, wallet: TransactionWallet): Promise<string[]> {
  const encoded = group.map(encodeTransaction);
  const signed = (await askWallet(wallet, encoded, index))[index];
  if (!signed || !signsExactly(signed, encoded[index])) {
    throw new X402Error('signer_failed', { message: 'the wallet returned no signature of the payment it was shown' });
  }
  return encoded.map((bytes, position) => encodeBase64(position === index ? signed : bytes));
}

async function askWallet(
  wallet: TransactionWallet,
  encoded: Uint8Array[],
  index: number,
): Promise<(Uint8Array | null)[]> {
  try {
    return await wallet.signTransactions(encoded, [index]);
  } catch (cause) {
    throw new X402Error('signer_failed', { cause });
  }
}

/** A wallet is outside code: what it signed must be what it was shown. */
function signsExactly(signed: Uint8Array, shown: Uint8Array | undefined): boolean {
  const { txn } = decodeSignedTransaction(signed);
  return shown !== undefined && transactionId(txn) === transactionId(shown);
}
