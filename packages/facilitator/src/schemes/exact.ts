import { type CheckedPayment, ExactAvmFacilitator, type PaymentVerifier } from '@avm402/avm/exact/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { SettleOptions } from '../facilitator-options.ts';
import { settleAnswer, spelledNetwork } from '../settlement/answer.ts';
import type { OrderFacts, SettlementOrder } from '../settlement/settlement-order.ts';
import type { Settler } from '../settlement/settler.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

/** The parts of the scheme `exact`. */
export interface ExactParts extends SchemeParts {
  /** Whether programs (logic signatures) pay; default true. */
  readonly takesPrograms?: boolean;
}

/** The scheme `exact` of a facilitator: a payment is a settlement, keyed by its transfer. */
export class ExactPayments implements SchemeSettlement {
  readonly scheme: ExactAvmFacilitator;
  readonly #settler: Settler;

  constructor({ settler, ...parts }: ExactParts) {
    this.#settler = settler;
    const beforeVerify = (payment: CheckedPayment): Promise<void> => settler.checkLeaseIsFree(factsOf(payment));
    this.scheme = new ExactAvmFacilitator({ ...parts, beforeVerify });
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
  return { ...factsOf(payment), verify: async () => (await verifier.verifyToSettle(payment)).group };
}

function factsOf(payment: CheckedPayment): OrderFacts {
  const { txId, firstValid, lastValid, payer, signer, requirementsDigest, requirements, exact } = payment;
  const { amount, lease } = exact.transferTransaction;
  return {
    txId,
    network: canonicalNetwork(requirements.network),
    firstValid,
    lastValid,
    payer,
    signer,
    ...(lease !== undefined && { lease: Buffer.from(lease).toString('hex') }),
    ...(exact.feePayer !== undefined && { feePayer: exact.feePayer.transaction.sender }),
    payTo: requirements.payTo,
    asset: requirements.asset,
    amount,
    requirementsDigest,
  };
}
