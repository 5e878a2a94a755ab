import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group.ts';

/**
 * One of the facilitator's accounts is the fee payer of a sponsored group, and none of them appears anywhere else in it.
 * @throws X402Error `invalid_exact_avm_facilitator_transferring`, `_unsigned_non_facilitator`, `_not_sponsored`
 */
export function checkOwnAccounts(
  { feePayer, transferTransaction }: ExactPayment,
  own: { has(address: string): boolean },
): void {
  if (own.has(transferTransaction.sender)) {
    throw new X402Error('invalid_exact_avm_facilitator_transferring', {
      message: "the payer is the facilitator's own account",
    });
  }
  if (feePayer === undefined) return;
  if (!own.has(feePayer.transaction.sender)) {
    throw new X402Error('invalid_exact_avm_unsigned_non_facilitator', {
      message: `fee payer ${feePayer.transaction.sender} is not an account of this facilitator`,
    });
  }
  if (own.has(transferTransaction.receiver)) {
    throw new X402Error('invalid_exact_avm_not_sponsored', {
      message: "payments to the facilitator's own account are not sponsored",
    });
  }
}

/** Whose fees a facilitator pays. */
export interface SponsorshipPolicy {
  /** Sellers whose payments are sponsored. */
  readonly payTo: ReadonlySet<string>;
  /** Asset ids, in decimal, that those sellers may be paid in. */
  readonly assets: ReadonlySet<string>;
  /** The least amount sponsored for them, in atomic units. */
  readonly minAmount: bigint;
  /** Whether all other payments are sponsored too (on a budget of their own). */
  readonly anyone: boolean;
}

/** Under which terms a payment is sponsored: the seller is listed, or anyone is. */
export type SponsorshipTerms = 'listed' | 'anyone';

/**
 * The terms that a sponsored payment falls under; `undefined` for a payment that carries its own fee.
 * @throws X402Error `invalid_exact_avm_not_sponsored`
 */
export function checkSponsored(exact: ExactPayment, policy: SponsorshipPolicy): SponsorshipTerms | undefined {
  return exact.feePayer === undefined ? undefined : sponsorshipTerms(exact.transferTransaction, policy);
}

/**
 * The terms under which a facilitator pays for a transfer.
 * @throws X402Error `invalid_exact_avm_not_sponsored`
 */
export function sponsorshipTerms(
  { receiver, assetId, amount }: Pick<AssetTransferTransaction, 'receiver' | 'assetId' | 'amount'>,
  policy: SponsorshipPolicy,
): SponsorshipTerms {
  const isListed = policy.payTo.has(receiver) && policy.assets.has(String(assetId)) && amount >= policy.minAmount;
  if (isListed) return 'listed';
  if (policy.anyone) return 'anyone';
  throw new X402Error('invalid_exact_avm_not_sponsored', {
    message: `this facilitator does not pay the fee of ${amount} of asset ${assetId} to ${receiver}`,
  });
}

/** µAlgo that all transactions of the group pay together. */
export function groupFee({ feePayer, transferTransaction }: ExactPayment): bigint {
  return transferTransaction.fee + (feePayer?.transaction.fee ?? 0n);
}

/**
 * A sponsored group costs at most `maxFee` µAlgo.
 * @throws X402Error `invalid_exact_avm_fee_too_high`
 */
export function checkFeeCap(exact: ExactPayment, maxFee: bigint): void {
  if (exact.feePayer === undefined || groupFee(exact) <= maxFee) return;
  throw new X402Error('invalid_exact_avm_fee_too_high', {
    message: `the group pays ${groupFee(exact)} µAlgo of fees, at most ${maxFee} are sponsored`,
  });
}

/** What the network asks for at the moment. */
export interface NetworkFees {
  /** µAlgo per byte; 0 while the network is not congested. */
  readonly fee: bigint;
  /** µAlgo per transaction, at least. */
  readonly minFee: bigint;
}

/** Bytes that a signature adds to a bare transaction: the maps around it and 64 bytes. */
export const SIGNATURE_BYTES = 75;

/** µAlgo that the network asks for now for transactions of these many bytes. */
export function networkFee(sizes: readonly number[], { fee, minFee }: NetworkFees): bigint {
  return sizes.map((size) => bigger(fee * BigInt(size), minFee)).reduce((total, each) => total + each, 0n);
}

/**
 * A sponsored group pays at most a fifth more than the network asks for now: the rest would be given away.
 * @throws X402Error `invalid_exact_avm_fee_too_high`
 */
export function checkFeeMargin(exact: ExactPayment, fees: NetworkFees): void {
  if (exact.feePayer === undefined) return;
  const sizes = [exact.feePayer.member.bytes.length + SIGNATURE_BYTES, exact.transfer.bytes.length];
  const required = networkFee(sizes, fees);
  const allowed = (required * 12n) / 10n;
  if (groupFee(exact) <= allowed) return;
  throw new X402Error('invalid_exact_avm_fee_too_high', {
    message: `the group pays ${groupFee(exact)} µAlgo of fees, the network asks for ${required}; up to ${allowed} are sponsored`,
  });
}

function bigger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * What the sponsor may still spend on such a payment, `microAlgosLeft`, covers its fee.
 * @throws X402Error `invalid_exact_avm_sponsor_budget`
 */
export function checkSponsorBudget(exact: ExactPayment, microAlgosLeft: bigint): void {
  if (groupFee(exact) <= microAlgosLeft) return;
  throw new X402Error('invalid_exact_avm_sponsor_budget', {
    message: `the sponsor's budget for this payment is spent for today: ${microAlgosLeft} µAlgo are left`,
  });
}
