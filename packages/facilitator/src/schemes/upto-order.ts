import { requirementsDigest, type SponsoredParties, signSponsored } from '@avm402/avm/exact/facilitator';
import { type UptoRequest, type UptoSettlement, verifyUpto } from '@avm402/avm/upto/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Budget } from '../settlement/settlement-store.ts';

/** The budgets that a group's fee is paid from. */
type BudgetsOf = (parties: SponsoredParties) => readonly Budget[];

/** A charge under an authorization of the scheme `upto`; its settlement is keyed by the transfer of the charge. */
export function uptoOrder(request: UptoRequest, charge: UptoSettlement, budgetsOf: BudgetsOf): SettlementOrder {
  const { upto } = request;
  const { payer, authAddress: signer = payer, authorization } = upto.payment;
  const { txId, firstValid, lastValid } = charge;
  const digest = requirementsDigest(upto.requirements);
  return {
    txId,
    signer,
    requirementsDigest: digest,
    async prepare() {
      const group = await verifyUpto(request, charge);
      const { parties, round } = group;
      const settlement = {
        txId,
        network: canonicalNetwork(upto.requirements.network),
        round,
        firstValid,
        lastValid,
        payer,
        signer,
        feePayer: authorization.feePayer,
        payTo: authorization.receiver,
        asset: String(authorization.token),
        amount: upto.amount,
        sponsoredFee: group.fee,
        terms: parties.terms,
        advance: parties.advance,
        requirementsDigest: digest,
        group: Buffer.concat(signSponsored(group)),
      };
      return { settlement, budgets: budgetsOf(parties) };
    },
  };
}
