import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** What a facilitator is asked about a payment: the same words for verify as for settle. */
export class PaymentQuestion {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  #json: string | undefined;

  constructor(payload: PaymentPayload, requirements: PaymentRequirements) {
    this.payload = payload;
    this.requirements = requirements;
  }

  /** The body of `POST /verify` and `POST /settle`. */
  get json(): string {
    const { payload, requirements } = this;
    this.#json ??= JSON.stringify({
      x402Version: payload.x402Version,
      paymentPayload: payload,
      paymentRequirements: requirements,
    });
    return this.#json;
  }
}
