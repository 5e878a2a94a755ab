import {
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
} from '@avm402/core/headers';
import { errorCatalogue, isX402Error, isX402ErrorCode, type X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { HTTPResponseBody } from '@x402/core/server';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { correctedOffers, type OfferCorrection } from '../offers/offer.ts';
import { offersFor } from './offers-for-request.ts';
import { pageFolder } from '../page/paying-page.ts';
import { type PaymentPage, paymentPage } from '../page/payment-page.ts';
import { JSON_TYPE, jsonReply, type Reply } from '../response/reply.ts';

/** Seconds. An outcome is usually known after a round or two. */
const PENDING_RETRY_SECONDS = 2;
const TROUBLE_RETRY_SECONDS = 5;
const NONCE_BYTES = 16;

/** Why a request is not served. */
export interface Refusal {
  /** The code that the buyer gets. */
  readonly reason: string;
  readonly message?: string;
  /** The result of settlement, if it was asked for. */
  readonly receipt?: SettleResponse;
  /** Facts by which the client's next payment fits. */
  readonly correction?: OfferCorrection;
}

/** Answers a request that is not served. */
export async function refuse(exchange: Exchange, refusal: Refusal): Promise<void> {
  const reply = await replyTo(exchange, refusal);
  exchange.report({ type: reply.status === 402 ? 'offered' : 'failed', code: refusal.reason });
  exchange.responder.send(reply);
}

/**
 * Answers an error from before the handler ran. The app's own errors, and those of status 500, go to the app's error
 * handler.
 */
export async function answerError(exchange: Exchange, error: unknown): Promise<void> {
  if (exchange.responder.hasBegun) return exchange.report({ type: 'failed', error });
  if (!isX402Error(error) || errorCatalogue[error.code].httpStatus === 500) {
    exchange.report({ type: 'failed', error });
    return exchange.responder.fail(error);
  }
  const { status } = errorReply(error);
  if (status !== 402) {
    exchange.report({ type: 'failed', code: error.code, error });
    return exchange.responder.send(errorReply(error));
  }
  try {
    await refuse(exchange, refusalOf(error));
  } catch (cause) {
    exchange.report({ type: 'failed', error: cause });
    exchange.responder.fail(cause);
  }
}

/** The reply to an error that is not about the payment. */
export function errorReply(error: X402Error): Reply {
  const { retryAfter } = error.details;
  return troubleReply(statusOf(error.code), refusalOf(error), typeof retryAfter === 'number' ? retryAfter : undefined);
}

/** The reply to a refusal: 402 with fresh offers, or the catalogue's status for its code. */
export async function replyTo(exchange: Exchange, refusal: Refusal): Promise<Reply> {
  const status = statusOf(refusal.reason);
  if (status !== 402) return troubleReply(status, refusal);
  try {
    return await offerReply(exchange, refusal);
  } catch (error) {
    // A 402 needs offers. Without them the receipt still has to reach the buyer.
    const isPassing = isX402Error(error) && error.retryable;
    if (!isPassing && refusal.receipt === undefined) throw error;
    return troubleReply(503, { ...refusal, ...(isX402Error(error) ? refusalOf(error) : {}) });
  }
}

function refusalOf({ code, message }: X402Error): Refusal {
  return { reason: code, message };
}

/** A reply without offers, so that nobody pays again: the payment is not at fault. */
export function troubleReply(status: number, refusal: Refusal, retryAfter?: number): Reply {
  const seconds =
    retryAfter ?? (refusal.reason === 'settlement_pending' ? PENDING_RETRY_SECONDS : TROUBLE_RETRY_SECONDS);
  const wait = status === 503 || status === 429 ? { 'Retry-After': String(seconds) } : {};
  return jsonReply(status, errorBody(refusal), { ...wait, ...receiptHeader(refusal) });
}

async function offerReply(exchange: Exchange, refusal: Refusal): Promise<Reply> {
  const { offers, url, context } = exchange;
  const required = await exchange.trace.span('x402.offer', {}, async () => {
    const current = correctedOffers(await offersFor(exchange), refusal.correction);
    return offers.paymentRequired(current, { error: refusal.reason, url, context });
  });
  const { contentType, body, headers } = await offerBody(exchange, refusal, required);
  return {
    status: 402,
    headers: {
      [PAYMENT_REQUIRED_HEADER]: encodePaymentRequiredHeader(required),
      'Content-Type': contentType,
      ...headers,
      ...receiptHeader(refusal),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

interface OfferBody extends HTTPResponseBody {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a 402: the seller's own if there is one, a page for browsers, otherwise JSON. */
async function offerBody(exchange: Exchange, refusal: Refusal, required: PaymentRequired): Promise<OfferBody> {
  const { context, request, offers } = exchange;
  const { customPaywallHtml, unpaidResponseBody, settlementFailedResponseBody } = offers.route.config;
  if (refusal.reason === 'payment_required') {
    if (request.header('accept')?.includes('text/html')) {
      const contentType = 'text/html; charset=utf-8';
      if (customPaywallHtml !== undefined) return { contentType, body: customPaywallHtml };
      const { html, headers } = pageFor(exchange, required);
      return { contentType, headers, body: html };
    }
    if (unpaidResponseBody) return unpaidResponseBody(context);
  }
  const { receipt } = refusal;
  if (receipt && !receipt.success && settlementFailedResponseBody) {
    const { errorReason = refusal.reason } = receipt;
    return settlementFailedResponseBody(context, {
      ...receipt,
      success: false,
      errorReason,
      headers: receiptHeader(refusal),
    });
  }
  return { contentType: JSON_TYPE, body: errorBody(refusal) };
}

/** A page can pay only for what a browser can ask for again: the body of another method is gone. */
function pageFor({ request, seller, offers }: Exchange, required: PaymentRequired): PaymentPage {
  const { page, publicUrl, randomBytes } = seller.options;
  const decimals = (offer: PaymentRequirements): number | undefined => offers.decimals(offer);
  if (page === undefined || request.method !== 'GET') return paymentPage({ required, decimals });
  const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url');
  return paymentPage({ required, decimals, paying: { page, folder: pageFolder(request, publicUrl), nonce } });
}

/**
 * The body of an error. A 5xx message is for the seller and may name internal URLs, so the buyer gets the catalogue's
 * text instead.
 */
function errorBody({ reason, message }: Refusal) {
  const known = isX402ErrorCode(reason) ? errorCatalogue[reason] : undefined;
  const told = known !== undefined && known.httpStatus >= 500 ? known.meaning : (message ?? known?.meaning ?? reason);
  return { error: reason, message: told, remedy: known?.remedy };
}

function receiptHeader({ receipt }: Refusal): Record<string, string> {
  return receipt === undefined ? {} : { [PAYMENT_RESPONSE_HEADER]: encodePaymentResponseHeader(receipt) };
}

function statusOf(reason: string): number {
  return isX402ErrorCode(reason) ? errorCatalogue[reason].httpStatus : 402;
}
