import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** A verify or settle request; both have the same body. */
export class PaymentQuestion {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** Headers to send: the id of the request that is paid for. */
  readonly headers: Readonly<Record<string, string>>;
  #json: string | undefined;

  constructor(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.payload = payload;
    this.requirements = requirements;
    this.headers = headers;
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
