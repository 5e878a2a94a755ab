import { noTrace, type Trace } from '@avm402/core/trace';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** A verify or settle request; both have the same body. */
export class PaymentQuestion {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** Headers to send: the request's id, and where its spans belong. */
  readonly headers: Readonly<Record<string, string>>;
  /** Records what is sent and answered. */
  readonly trace: Trace;
  #json: string | undefined;

  constructor(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    headers: Readonly<Record<string, string>> = {},
    trace: Trace = noTrace,
  ) {
    this.payload = payload;
    this.requirements = requirements;
    this.headers = headers;
    this.trace = trace;
  }

  /** The same question, asked within a span. */
  within(trace: Trace): PaymentQuestion {
    return new PaymentQuestion(this.payload, this.requirements, { ...this.headers, ...trace.headers }, trace);
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
