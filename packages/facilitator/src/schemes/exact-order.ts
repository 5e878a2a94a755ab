import {
  type CheckedPayment,
  type PaymentVerifier,
  type SponsoredParties,
  signSponsored,
  type VerifiedPayment,
} from '@avm402/avm/exact/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { NewSettlement } from '../settlement/settlement.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Budget } from '../settlement/settlement-store.ts';

export interface ExactOrderOptions {
  readonly verifier: PaymentVerifier;
  /** The budgets that a sponsored payment is paid from. */
  readonly budgetsOf: (parties: SponsoredParties) => readonly Budget[];
}

/** A payment of the scheme `exact`. */
export function exactOrder(payment: CheckedPayment, { verifier, budgetsOf }: ExactOrderOptions): SettlementOrder {
  const { txId, signer, requirementsDigest } = payment;
  return {
    txId,
    signer,
    requirementsDigest,
    async prepare() {
      const verified = await verifier.verifyToSettle(payment);
      const { parties } = verified.group;
      return { settlement: rowOf(verified), budgets: parties === undefined ? [] : budgetsOf(parties) };
    },
  };
}

function rowOf(verified: VerifiedPayment): Omit<NewSettlement, 'keyHash'> {
  const { exact, requirements, group } = verified;
  return {
    txId: verified.txId,
    network: canonicalNetwork(requirements.network),
    round: group.round,
    firstValid: verified.firstValid,
    lastValid: verified.lastValid,
    payer: verified.payer,
    signer: verified.signer,
    ...(exact.feePayer !== undefined && { feePayer: exact.feePayer.transaction.sender }),
    payTo: requirements.payTo,
    asset: requirements.asset,
    amount: exact.transferTransaction.amount,
    sponsoredFee: group.parties === undefined ? 0n : group.fee,
    ...(group.parties !== undefined && { terms: group.parties.terms }),
    advance: false,
    requirementsDigest: verified.requirementsDigest,
    group: Buffer.concat(signSponsored(group)),
  };
}
