import type { SettleResponse } from '@avm402/core/settle-response';
import { startTrace } from '@avm402/core/start-trace';
import type { SpanName, Trace } from '@avm402/core/trace';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { Tracer } from '@opentelemetry/api';
import type { PaymentRequirements } from '@x402/core/types';
import { requestContext } from '../log/request-context.ts';

/** The spans of a facilitator's work for requests. They continue the trace of the request. */
export class FacilitatorSpans {
  readonly #tracer: Tracer | undefined;

  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer;
  }

  verify(offer: PaymentRequirements, work: () => Promise<VerifyResponse>): Promise<VerifyResponse> {
    return this.#within('x402.facilitator.verify', offer, work, (trace, { isValid, invalidReason, payer }) =>
      trace.note({ outcome: isValid ? 'valid' : invalidReason, payer }),
    );
  }

  settle(offer: PaymentRequirements, work: () => Promise<SettleResponse>): Promise<SettleResponse> {
    return this.#within('x402.facilitator.settle', offer, work, (trace, settlement) => trace.note({ settlement }));
  }

  #within<T>(
    name: SpanName,
    offer: PaymentRequirements,
    work: () => Promise<T>,
    note: (trace: Trace, answer: T) => void,
  ): Promise<T> {
    const tracer = this.#tracer;
    if (tracer === undefined) return work();
    const context = requestContext.getStore() ?? { facts: {} };
    const { traceparent, facts } = context;
    const above = startTrace({ tracer, ...(traceparent !== undefined && { traceparent }) });
    return above.span(name, { offer, requestId: facts.requestId }, async (trace) => {
      const answer = await requestContext.run({ ...context, trace }, work);
      note(trace, answer);
      return answer;
    });
  }
}
