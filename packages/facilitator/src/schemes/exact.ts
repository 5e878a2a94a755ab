import { type CheckedPayment, ExactAvmFacilitator, type PaymentVerifier } from '@avm402/avm/exact/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { SettleOptions } from '../facilitator-options.ts';
import { settleAnswer, spelledNetwork } from '../settlement/answer.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Settler } from '../settlement/settler.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

/** The scheme `exact` of a facilitator: a payment is a settlement, keyed by its transfer. */
export class ExactPayments implements SchemeSettlement {
  readonly scheme: ExactAvmFacilitator;
  readonly #settler: Settler;

  constructor({ settler, ...parts }: SchemeParts) {
    this.#settler = settler;
    this.scheme = new ExactAvmFacilitator(parts);
  }

  async settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    options: SettleOptions,
  ): Promise<SettleResponse> {
    const { verifier } = this.scheme;
    const order = orderOf(verifier.check(payload, requirements), verifier);
    return settleAnswer(await this.#settler.settle(order, options), spelledNetwork(requirements));
  }
}

function orderOf(payment: CheckedPayment, verifier: PaymentVerifier): SettlementOrder {
  const { txId, firstValid, lastValid, payer, signer, requirementsDigest, requirements, exact } = payment;
  return {
    txId,
    network: canonicalNetwork(requirements.network),
    firstValid,
    lastValid,
    payer,
    signer,
    ...(exact.feePayer !== undefined && { feePayer: exact.feePayer.transaction.sender }),
    payTo: requirements.payTo,
    asset: requirements.asset,
    amount: exact.transferTransaction.amount,
    requirementsDigest,
    verify: async () => (await verifier.verifyToSettle(payment)).group,
  };
}
