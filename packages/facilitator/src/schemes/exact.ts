import { type CheckedPayment, ExactAvmFacilitator } from '@avm402/avm/exact/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import { settleAnswer, spelledNetwork } from '../settlement/answer.ts';
import type { OrderFacts } from '../settlement/settlement-order.ts';
import type { Settler } from '../settlement/settler.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

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

  readonly begins: SchemeSettlement['begins'] = async (payload, requirements) =>
    (await this.#settler.recorded(this.scheme.verifier.check(payload, requirements).txId, 0)) === undefined;

  readonly settle: SchemeSettlement['settle'] = async (payload, requirements, options) => {
    const { verifier } = this.scheme;
    const payment = verifier.check(payload, requirements);
    const order = { ...factsOf(payment), verify: async () => (await verifier.verifyToSettle(payment)).group };
    return settleAnswer(await this.#settler.settle(order, options), spelledNetwork(requirements));
  };
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
