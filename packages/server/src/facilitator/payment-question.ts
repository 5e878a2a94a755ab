import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** The body of a verify or settle request; both get the same one. */
export class PaymentQuestion {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  #json: string | undefined;

  constructor(payload: PaymentPayload, requirements: PaymentRequirements) {
    this.payload = payload;
    this.requirements = requirements;
  }

  /** The body as text, made once. */
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
