import { isRefusal, requirementsDigest } from '@avm402/avm/sponsorship';
import { UptoAvmFacilitator, type UptoRequest, type UptoSettlement, verifyUpto } from '@avm402/avm/upto/facilitator';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettleOptions } from '../settlement/settle-options.ts';
import { settleAnswer } from '../settlement/answer.ts';
import type { SettlementState } from '../settlement/settlement.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { SettledRow, Settler } from '../settlement/settler.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

type UptoSettlements = Awaited<ReturnType<UptoAvmFacilitator['settlementsOf']>>;

/** From the state that answers for a charge whatever others are in. */
const PROGRESS: readonly SettlementState[] = ['confirmed', 'submitted', 'recorded', 'rejected', 'expired'];

/** The scheme `upto` of a facilitator: a charge is a settlement, keyed by the transfer of the charge. */
export class UptoPayments implements SchemeSettlement {
  readonly scheme: UptoAvmFacilitator;
  readonly #settler: Settler;

  constructor({ settler, ...parts }: SchemeParts) {
    this.#settler = settler;
    this.scheme = new UptoAvmFacilitator(parts);
  }

  /** Always: a settlement is known by its charge, which nobody knows yet. */
  readonly begins: SchemeSettlement['begins'] = async () => true;

  /** Settles a charge. One of 0 settles nothing on chain and is not recorded. */
  readonly settle: SchemeSettlement['settle'] = async (payload, requirements, options) => {
    const request = this.scheme.check(payload, requirements);
    const { payment, requirements: charged, amount } = request.upto;
    const { network } = charged;
    if (amount === 0n) return { success: true, payer: payment.payer, transaction: '', network, amount: '0' };
    const answer = settleAnswer(await this.#settled(request, options), network);
    return answer.success ? { ...answer, amount: String(amount) } : answer;
  };

  /**
   * Replicas whose nodes ask for different fees may begin a charge at the same time. The chain's lease lets one of their
   * groups pass, which then answers for the others.
   */
  async #settled(request: UptoRequest, options: SettleOptions): Promise<SettledRow> {
    const groups = await this.scheme.settlementsOf(request);
    const charge = await this.#chargeOf(groups);
    const inTime = this.#settler.inTime();
    const settleAs = (one: UptoSettlement): Promise<SettledRow> =>
      this.#settler.settle(orderOf(request, one), options, inTime);
    const outcome = await settleAs(charge).catch((error: unknown) => {
      if (isRefusal(error)) return error;
      throw error;
    });
    const isRefused = outcome instanceof Error || outcome.state === 'rejected';
    const other = isRefused ? await this.#chargeOf(groups) : charge;
    if (other !== charge) return settleAs(other);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  /**
   * The group with which the charge began, of several the one that got furthest; otherwise today's. A changed fee must
   * not make a second settlement.
   */
  async #chargeOf(groups: UptoSettlements): Promise<UptoSettlement> {
    const rows = await Promise.all(groups.map(({ txId }) => this.#settler.recorded(txId, 0)));
    const furthest = PROGRESS.map((state) => groups[rows.findIndex((row) => row?.state === state)]);
    return furthest.find((group) => group !== undefined) ?? groups[0];
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
