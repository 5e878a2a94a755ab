import { requirementsDigest } from '@avm402/avm/sponsorship';
import { UptoAvmFacilitator, type UptoRequest, type UptoSettlement, verifyUpto } from '@avm402/avm/upto/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import { settleAnswer } from '../settlement/answer.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Settler } from '../settlement/settler.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

/** The scheme `upto` of a facilitator: a charge is a settlement, keyed by the transfer of the charge. */
export class UptoPayments implements SchemeSettlement {
  readonly scheme: UptoAvmFacilitator;
  readonly #settler: Settler;

  constructor({ settler, ...parts }: SchemeParts) {
    this.#settler = settler;
    this.scheme = new UptoAvmFacilitator(parts);
  }

  /** Settles a charge. One of 0 settles nothing on chain and is not recorded. */
  readonly settle: SchemeSettlement['settle'] = async (payload, requirements, options) => {
    const request = this.scheme.check(payload, requirements);
    const { payment, requirements: charged, amount } = request.upto;
    const { network } = charged;
    if (amount === 0n) return { success: true, payer: payment.payer, transaction: '', network, amount: '0' };
    const order = orderOf(request, await this.#chargeOf(request));
    const answer = settleAnswer(await this.#settler.settle(order, options), network);
    return answer.success ? { ...answer, amount: String(amount) } : answer;
  };

  /** The group with which the charge began, otherwise today's: a changed fee must not make a second settlement. */
  async #chargeOf(request: UptoRequest): Promise<UptoSettlement> {
    const groups = await this.scheme.settlementsOf(request);
    const begun = await Promise.all(groups.map(({ txId }) => this.#settler.hasBegun(txId)));
    return groups.find((_, index) => begun[index]) ?? groups[0];
  }
}

function orderOf(request: UptoRequest, charge: UptoSettlement): SettlementOrder {
  const { payment, requirements, amount } = request.upto;
  const { payer, authAddress: signer = payer, authorization } = payment;
  const { txId, firstValid, lastValid } = charge;
  return {
    txId,
    network: canonicalNetwork(requirements.network),
    firstValid,
    lastValid,
    payer,
    signer,
    feePayer: authorization.feePayer,
    payTo: authorization.receiver,
    asset: String(authorization.token),
    amount,
    requirementsDigest: requirementsDigest(requirements),
    verify: () => verifyUpto(request, charge),
  };
}
