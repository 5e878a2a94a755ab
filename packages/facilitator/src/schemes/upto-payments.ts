import type { FacilitatorNetwork, Settle, SponsoredParties } from '@avm402/avm/exact/facilitator';
import { UptoAvmFacilitator, type UptoRequest, type UptoSettlement } from '@avm402/avm/upto/facilitator';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Chain } from '../chain/chain.ts';
import { settleAnswer } from '../settlement/answer.ts';
import type { Budget } from '../settlement/settlement-store.ts';
import type { Settler } from '../settlement/settler.ts';
import { uptoOrder } from './upto-order.ts';

export interface UptoPaymentsOptions {
  readonly settler: Settler;
  /** Settles through the facilitator's front door. */
  readonly settle: Settle;
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  readonly chainOf: (network: string) => Chain;
  readonly budgetsOf: (chain: Chain, parties: SponsoredParties) => readonly Budget[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The scheme `upto` of a facilitator: charges as settlements of its store. */
export class UptoPayments {
  readonly scheme: UptoAvmFacilitator;
  readonly #options: UptoPaymentsOptions;

  constructor(options: UptoPaymentsOptions) {
    this.#options = options;
    this.scheme = new UptoAvmFacilitator(options);
  }

  /**
   * Settles a charge, or joins its settlement, and resolves with the outcome, or with `settlement_pending` after the
   * timeout. A charge of 0 settles nothing on chain and is not recorded.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    idempotencyKey: string | undefined,
  ): Promise<SettleResponse> {
    const { settler, chainOf, budgetsOf } = this.#options;
    const request = this.scheme.check(payload, requirements);
    const { payment, requirements: charged, amount } = request.upto;
    const { network } = charged;
    if (amount === 0n) return { success: true, payer: payment.payer, transaction: '', network, amount: '0' };
    const chain = chainOf(network);
    const group = await this.#groupOf(request);
    const order = uptoOrder(request, group, (parties) => budgetsOf(chain, parties));
    const answer = settleAnswer(await settler.settle(order, idempotencyKey), network);
    return answer.success ? { ...answer, amount: String(amount) } : answer;
  }

  /** The group under which the charge began, else the one of today: a fee that changed makes no second settlement. */
  async #groupOf(request: UptoRequest): Promise<UptoSettlement> {
    const groups = await this.scheme.settlementsOf(request);
    const begun = await Promise.all(groups.map(({ txId }) => this.#options.settler.hasBegun(txId)));
    return groups.find((_, index) => begun[index]) ?? groups[0];
  }
}
