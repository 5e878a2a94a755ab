import type {
  Network,
  PaymentPayload,
  PaymentRequirements,
  SchemeNetworkFacilitator,
  SettleResponse,
  VerifyResponse,
} from '@x402/core/types';
import type { FacilitatorNetwork } from '../../sponsorship/sponsor.ts';
import { type CheckedPayment, PaymentVerifier, type PaymentVerifierOptions } from './payment-verifier.ts';
import { type Settle, verifyResponse } from '../../sponsorship/refusal.ts';

export interface ExactAvmFacilitatorOptions extends PaymentVerifierOptions {
  readonly settle: Settle;
  /**
   * Called for a payment that passed its offline checks, before the chain is asked.
   * @throws X402Error with a wire reason
   */
  readonly beforeVerify?: (payment: CheckedPayment) => Promise<void>;
}

/** The facilitator's side of the `exact` scheme on Algorand. Registers in a stock `x402Facilitator`. */
export class ExactAvmFacilitator implements SchemeNetworkFacilitator {
  readonly scheme = 'exact';
  readonly caipFamily = 'algorand:*';
  /** The verification steps behind `verify`, for a settler. */
  readonly verifier: PaymentVerifier;
  readonly #networkOf: (network: string) => FacilitatorNetwork | undefined;
  readonly #settle: Settle;
  readonly #beforeVerify: ExactAvmFacilitatorOptions['beforeVerify'];

  constructor(options: ExactAvmFacilitatorOptions) {
    this.verifier = new PaymentVerifier(options);
    this.#networkOf = options.networkOf;
    this.#settle = options.settle;
    this.#beforeVerify = options.beforeVerify;
  }

  /** `{ feePayer }`, the fee payer for new offers; undefined on a network without a sponsor. */
  getExtra(network: Network): Record<string, unknown> | undefined {
    const sponsor = this.#networkOf(network)?.sponsor;
    return sponsor && { feePayer: sponsor.feePayer() };
  }

  /** Every account that pays fees. An offer that names any of them is valid, whichever one new offers name. */
  getSigners(network: string): string[] {
    return [...(this.#networkOf(network)?.sponsor?.accounts.keys() ?? [])];
  }

  /**
   * Whether the payment would settle now. A refusal is an answer; only the facilitator's own trouble is thrown.
   * @throws X402Error with a 5xx `httpStatus`, e.g. `algod_unreachable`
   */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    return verifyResponse(async () => {
      const payment = this.verifier.check(payload, requirements);
      await this.#beforeVerify?.(payment);
      const { payer } = await this.verifier.verify(payment);
      return { payer };
    });
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettleResponse> {
    return this.#settle(payload, requirements);
  }
}
