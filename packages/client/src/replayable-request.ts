import { X402Error } from '@avm402/core/errors';
import { PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';

/** A request that can be sent again, with a payment. */
export interface ReplayableRequest {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** A fresh copy; with the payment header if one is given. */
  copy(paymentHeader?: string): Request;
}

/**
 * Takes what `fetch` takes.
 * Errors: `body_not_replayable` (a stream as body: it could not be sent again after the 402, so nothing is sent at all).
 */
export function replayableRequest(input: RequestInfo | URL, init?: RequestInit): ReplayableRequest {
  const bodyIsStream = init?.body instanceof ReadableStream;
  const inputIsStream = input instanceof Request && input.body !== null && (init?.body ?? null) === null;
  if (bodyIsStream || inputIsStream) throw new X402Error('body_not_replayable');
  const url = new Request(input, init).url;
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
  return {
    url,
    signal,
    copy: (paymentHeader) => {
      const request = new Request(input, init);
      if (paymentHeader === undefined) return request;
      request.headers.set(PAYMENT_SIGNATURE_HEADER, paymentHeader);
      // fetch would carry the payment to wherever the server points; a redirect is judged here instead.
      return new Request(request, { redirect: 'manual', cache: 'no-store' });
    },
  };
}
