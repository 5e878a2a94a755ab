import type {
  Network,
  PaymentPayload,
  PaymentRequirements,
  SchemeNetworkFacilitator,
  VerifyResponse,
} from '@x402/core/types';
import { askNode } from '../../node/ask-node.ts';
import { CurrentFees } from '../../node/network-fees.ts';
import type { FacilitatorNetwork } from '../../sponsorship/sponsor.ts';
import { type Settle, verifyResponse } from '../../sponsorship/refusal.ts';
import { checkAuthorizationWindow } from '../checks/authorization.ts';
import { memberFeeNow, memberFees, mostFeeOf } from './upto-fee.ts';
import { type UptoRequest, uptoRequest, verifyUpto } from './upto-request.ts';
import { type CheckedUpto, checkUpto, checkUptoCharge, type UptoSettlement, uptoSettlement } from './upto-charge.ts';

export interface UptoAvmFacilitatorOptions {
  /** The network with this CAIP-2 id, in any spelling, if the facilitator serves it. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Settles through a settlement store, so that no path around the store exists. */
  readonly settle: Settle;
  /** Milliseconds; the clock may be set back. */
  readonly now: () => number;
}

/** The facilitator's side of the `upto` scheme on Algorand. Registers in a stock `x402Facilitator`. */
export class UptoAvmFacilitator implements SchemeNetworkFacilitator {
  readonly scheme = 'upto';
  readonly caipFamily = 'algorand:*';
  readonly settle: Settle;
  readonly #networkOf: UptoAvmFacilitatorOptions['networkOf'];
  readonly #fees: CurrentFees;

  constructor({ networkOf, settle, now }: UptoAvmFacilitatorOptions) {
    this.#networkOf = networkOf;
    this.settle = settle;
    this.#fees = new CurrentFees(now);
  }

  /**
   * `{ feePayer }`, the account that settles new authorizations; undefined if the closer of channels is the only
   * account.
   */
  getExtra(network: Network): Record<string, unknown> | undefined {
    const feePayer = this.#networkOf(network)?.sponsor?.uptoFeePayer();
    return feePayer === undefined ? undefined : { feePayer };
  }

  getSigners(network: string): string[] {
    return [...(this.#networkOf(network)?.sponsor?.accounts.keys() ?? [])];
  }

  /**
   * Reads a charge, for `settle`: the requirements' amount is the charge. Makes no network call.
   * @throws X402Error with a wire reason for a refusal
   */
  check(payload: PaymentPayload, requirements: PaymentRequirements): UptoRequest {
    return this.#request(checkUptoCharge(payload, requirements));
  }

  /**
   * The groups that can settle a charge: first the one to begin with, then those at other fees, with one of which the
   * settlement may have begun. None of them is verified.
   * @throws X402Error `algod_unreachable`
   */
  async settlementsOf({ upto, network, sponsor }: UptoRequest): Promise<[UptoSettlement, ...UptoSettlement[]]> {
    const fees = await askNode(() => this.#fees.of(network));
    const [first, ...others] = memberFees(upto, fees, mostFeeOf(sponsor));
    return [uptoSettlement(upto, first), ...others.map((fee) => uptoSettlement(upto, fee))];
  }

  /**
   * Whether a charge of the maximum would settle now. A refusal is an answer; only the facilitator's own trouble is
   * thrown.
   * @throws X402Error with a 5xx `httpStatus`, e.g. `algod_unreachable`
   */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    return verifyResponse(async () => {
      const request = this.#request(checkUpto(payload, requirements));
      const { upto, network } = request;
      const fees = await askNode(() => this.#fees.of(network));
      const { round } = await verifyUpto(request, uptoSettlement(upto, memberFeeNow(upto, fees)));
      checkAuthorizationWindow(upto.payment, round);
      return { payer: upto.payment.payer };
    });
  }

  #request(upto: CheckedUpto): UptoRequest {
    return uptoRequest(upto, this.#networkOf(upto.requirements.network));
  }
}
