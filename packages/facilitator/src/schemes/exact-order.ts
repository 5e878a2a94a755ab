import {
  type CheckedPayment,
  groupFee,
  type PaymentVerifier,
  type SponsoredParties,
  signGroup,
  type VerifiedPayment,
} from '@avm402/avm/exact/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { Chain } from '../chain/chain.ts';
import type { NewSettlement } from '../settlement/settlement.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Budget } from '../settlement/settlement-store.ts';

export interface ExactOrderOptions {
  readonly verifier: PaymentVerifier;
  readonly chain: Chain;
  /** The budgets that a sponsored payment is paid from. */
  readonly budgetsOf: (parties: SponsoredParties) => readonly Budget[];
}

/** A payment of the scheme `exact`. */
export function exactOrder(
  payment: CheckedPayment,
  { verifier, chain, budgetsOf }: ExactOrderOptions,
): SettlementOrder {
  const { txId, signer, requirementsDigest } = payment;
  return {
    txId,
    signer,
    requirementsDigest,
    async prepare() {
      const settlement = rowOf(await verifier.verifyToSettle(payment), chain.pool.lastRound);
      const { terms, payTo, payer } = settlement;
      return { settlement, budgets: terms === undefined ? [] : budgetsOf({ terms, payTo, payer, advance: false }) };
    },
  };
}

function rowOf(verified: VerifiedPayment, known: bigint): Omit<NewSettlement, 'keyHash'> {
  const { exact, requirements, terms, verifiedRound } = verified;
  return {
    txId: verified.txId,
    network: canonicalNetwork(requirements.network),
    round: known > verifiedRound ? known : verifiedRound,
    firstValid: verified.firstValid,
    lastValid: verified.lastValid,
    payer: verified.payer,
    signer: verified.signer,
    ...(exact.feePayer !== undefined && { feePayer: exact.feePayer.transaction.sender }),
    payTo: requirements.payTo,
    asset: requirements.asset,
    amount: exact.transferTransaction.amount,
    sponsoredFee: terms === undefined ? 0n : groupFee(exact),
    ...(terms !== undefined && { terms }),
    advance: false,
    requirementsDigest: verified.requirementsDigest,
    group: Buffer.concat(signGroup(verified)),
  };
}
