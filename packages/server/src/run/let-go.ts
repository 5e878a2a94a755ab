import { errorCatalogue, isX402Error, X402Error } from '@avm402/core/errors';
import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import { errorReply, replyTo, troubleReply } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { OfferCorrection } from '../offers/offer.ts';
import type { HeldAnswer } from '../response/held-answer.ts';
import type { Reply } from '../response/reply.ts';

/** An answer that is paid for, and may leave. */
interface Paid {
  readonly receipt: SettleResponse;
  /** Aborted once another request answers for the payment. */
  readonly lost?: AbortSignal;
  /** Called with whether the answer was delivered. */
  readonly left?: (isDelivered: boolean) => Promise<void>;
}

/** What goes out: the answer, which is paid for, or the reply in its place. */
export type Outgoing = Paid | { readonly reply: Reply };

/** Lets an answer go that is paid for, or the reply in its place. `txId` is how reports name the payment. */
export async function letGo(exchange: Exchange, held: HeldAnswer, txId: string, outgoing: Outgoing): Promise<void> {
  if ('reply' in outgoing) return held.replace(outgoing.reply);
  const { receipt, lost, left } = outgoing;
  const { responder } = exchange;
  lost?.addEventListener('abort', () => responder.destroy(), { once: true });
  try {
    held.release(encodePaymentResponseHeader(receipt));
  } catch (error) {
    // Code around the response may throw as its head is written; the answer is paid for all the same.
    exchange.report({ type: 'failed', txId, error });
    held.replace(troubleReply(500, { reason: 'response_failed', receipt }));
    return left?.(false);
  }
  if (left !== undefined) await left(await responder.delivered());
}

/** The reply in place of an answer that could not be charged; `correction` is for the buyer's next payment. */
export async function withheld(exchange: Exchange, error: unknown, correction?: OfferCorrection): Promise<Reply> {
  if (!isX402Error(error)) return errorReply(new X402Error('unexpected_settle_error', { cause: error }));
  if (errorCatalogue[error.code].httpStatus !== 402) return errorReply(error);
  try {
    return await replyTo(exchange, { reason: error.code, ...(correction && { correction }) });
  } catch (cause) {
    // No offer can be made. The client must still be told: what its handler has answered does not leave.
    return errorReply(new X402Error('unexpected_settle_error', { cause }));
  }
}
