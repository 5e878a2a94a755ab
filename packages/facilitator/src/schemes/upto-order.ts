import { requirementsDigest, type SponsoredParties } from '@avm402/avm/exact/facilitator';
import { signUpto, type UptoRequest, type UptoSettlement, verifyUpto } from '@avm402/avm/upto/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Budget } from '../settlement/settlement-store.ts';

/** The budgets that a group's fee is paid from. */
type BudgetsOf = (parties: SponsoredParties) => readonly Budget[];

/** A charge under an authorization of the scheme `upto`; its settlement is keyed by the transfer of the charge. */
export function uptoOrder(request: UptoRequest, group: UptoSettlement, budgetsOf: BudgetsOf): SettlementOrder {
  const { upto, network } = request;
  const { payer, authAddress: signer = payer, authorization } = upto.payment;
  const { txId, firstValid, lastValid } = group;
  const digest = requirementsDigest(upto.requirements);
  return {
    txId,
    signer,
    requirementsDigest: digest,
    async prepare() {
      const { terms, advance, round } = await verifyUpto(request, group);
      const known = network.lastRound();
      const settlement = {
        txId,
        network: canonicalNetwork(upto.requirements.network),
        round: known > round ? known : round,
        firstValid,
        lastValid,
        payer,
        signer,
        feePayer: authorization.feePayer,
        payTo: authorization.receiver,
        asset: String(authorization.token),
        amount: upto.amount,
        sponsoredFee: group.feePayer.fee,
        terms,
        advance,
        requirementsDigest: digest,
        group: Buffer.concat(signUpto(request, group)),
      };
      return { settlement, budgets: budgetsOf({ terms, payTo: authorization.receiver, payer, advance }) };
    },
  };
}
