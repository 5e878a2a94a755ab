import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

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
 * Throws X402Error `invalid_exact_avm_not_sponsored`.
 */
export function checkSponsored(exact: ExactPayment, policy: SponsorshipPolicy): SponsorshipTerms | undefined {
  if (exact.feePayer === undefined) return undefined;
  const { receiver, assetId, amount } = exact.transferTransaction;
  const isListed = policy.payTo.has(receiver) && policy.assets.has(String(assetId)) && amount >= policy.minAmount;
  if (isListed) return 'listed';
  if (policy.anyone) return 'anyone';
  throw new X402Error('invalid_exact_avm_not_sponsored', {
    message: `this facilitator does not pay the fee of ${amount} of asset ${assetId} to ${receiver}`,
  });
}
