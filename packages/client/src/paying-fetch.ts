import type { Account } from '@avm402/algorand/account';
import { ExactAvmClient, type CreatedPayment, type TransactionWallet } from '@avm402/avm/exact/client';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { encodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { createPaymentId, paymentIdentifierOffered, withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { chooseOffer } from './choose-offer.ts';
import { algodOf, type Networks } from './networks.ts';
import { offerOf } from './offer.ts';
import { readSettlement, rememberPayment } from './payment-record.ts';
import { replayableRequest, type ReplayableRequest } from './replayable-request.ts';
import type { SpendPolicy } from './spend-policy.ts';

export interface PayingFetchOptions {
  /** Who pays. */
  readonly account: Account | TransactionWallet;
  /** Where the networks' algods are; the embedded development node is known by itself. */
  readonly networks?: Networks;
  /** Limits; by default at most $1 of USDC per payment. */
  readonly spend?: SpendPolicy;
  /** Called with the offer before it is paid; a false answer refuses it. */
  readonly onOffer?: (offer: PaymentRequirements, required: PaymentRequired) => boolean | Promise<boolean>;
  /** Called with a signed payment before it is sent. */
  readonly onPayment?: (payment: CreatedPayment, offer: PaymentRequirements) => void;
  readonly fetch?: typeof globalThis.fetch;
  /** Cryptographically random bytes; default: the platform's. */
  readonly random?: (bytes: number) => Uint8Array;
}

const platformRandom = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/**
 * A `fetch` that pays. A 402 that is not x402 comes back untouched; an x402 offer is paid within the limits and the
 * request is sent once more. `settlementOf(response)` tells what was settled.
 * Errors: `no_acceptable_offer`, `body_not_replayable`, `unsafe_redirect`, `payment_outcome_unknown` (the paid request
 * got no answer), and those of `ExactAvmClient.createPayment`.
 */
export function createPayingFetch(options: PayingFetchOptions): typeof globalThis.fetch {
  const { fetch = globalThis.fetch, networks = {}, random = platformRandom } = options;
  const algod = algodOf(networks, fetch);
  const client = new ExactAvmClient({ account: options.account, algod, random });

  const choose = async (required: PaymentRequired): Promise<PaymentRequirements> => {
    const offer = chooseOffer(required, options.spend ?? {}, ({ network }) =>
      algod(network) ? undefined : `no algod is configured for ${network}`,
    );
    if (options.onOffer && !(await options.onOffer(offer, required))) {
      throw new X402Error('no_acceptable_offer', { message: 'the offer was declined' });
    }
    return offer;
  };

  return async function payingFetch(input, init) {
    const request = replayableRequest(input, init);
    const unpaid = await fetch(request.copy());
    const required = offerOf(unpaid);
    if (!required || unpaid.redirected || request.copy().headers.has(PAYMENT_SIGNATURE_HEADER)) return unpaid;
    const offer = await choose(required);
    const payment = await client.createPayment(offer);
    options.onPayment?.(payment, offer);
    const header = encodePaymentSignatureHeader(paymentPayload(required, offer, payment, random));
    const response = await sendPaid(fetch, request, header, payment);
    rememberPayment(response, { offer, ...payment, settlement: readSettlement(response, payment.groupTxIds) });
    return response;
  };
}

function paymentPayload(
  required: PaymentRequired,
  accepted: PaymentRequirements,
  { payload }: CreatedPayment,
  random: (bytes: number) => Uint8Array,
): PaymentPayload {
  const { resource, extensions } = required;
  const echoed =
    paymentIdentifierOffered(extensions) === 'no' ? extensions : withPaymentId(extensions, createPaymentId(random));
  return { x402Version: 2, resource, accepted, payload, ...(echoed && { extensions: echoed }) };
}

async function sendPaid(
  fetch: typeof globalThis.fetch,
  request: ReplayableRequest,
  header: string,
  { txId }: CreatedPayment,
): Promise<Response> {
  try {
    const response = await fetch(request.copy(header));
    if (response.type !== 'opaqueredirect' && !isRedirect(response)) return response;
    throw new X402Error('unsafe_redirect', { details: { txId } });
  } catch (cause) {
    if (isX402Error(cause)) throw cause;
    throw new X402Error('payment_outcome_unknown', {
      message: `the request that carried the payment ${txId} got no answer; do not pay again before its outcome is known`,
      details: { txId },
      cause,
    });
  }
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
