import type { ErrorDescription } from './description.ts';

/** Errors of the resource server, in its answers and at its start. */
export const serverErrors = {
  ambiguous_path: {
    meaning: "The request's path can be read in more than one way.",
    remedy: 'Ask for the path without encoded separators.',
    retryable: false,
    httpStatus: 400,
  },
  asset_decimals_unknown: {
    meaning: "The asset's decimals are not known, so a price cannot be turned into an amount.",
    remedy: "Name the asset's decimals in extra.decimals, or give the price as {asset, amount}.",
    retryable: false,
    httpStatus: 500,
  },
  duplicate_payment: {
    meaning: 'This payment has been used already.',
    remedy: 'Pay with a new transaction; for the response of this one, repeat the request with its payment id.',
    retryable: false,
    httpStatus: 402,
  },
  duplicate_route: {
    meaning: 'Two routes match the same requests.',
    remedy: 'Remove one, or make their paths distinct.',
    retryable: false,
    httpStatus: 500,
  },
  extension_echo_mismatch: {
    meaning: 'The payment changes what the server declared in an extension.',
    remedy: 'Echo the extensions of the offer unchanged.',
    retryable: false,
    httpStatus: 402,
  },
  facilitator_bad_answer: {
    meaning: 'The facilitator answered something that is no x402 answer.',
    remedy: 'Check FACILITATOR_URL.',
    retryable: true,
    httpStatus: 503,
  },
  facilitator_mismatch: {
    meaning: 'The facilitator URLs do not belong to one facilitator: their store ids differ or are missing.',
    remedy: 'List only replicas that share one settlement store.',
    retryable: false,
    httpStatus: 500,
  },
  facilitator_unreachable: {
    meaning: 'The facilitator does not answer.',
    remedy: 'Try again; nothing was charged by this request.',
    retryable: true,
    httpStatus: 503,
  },
  header_budget_exceeded: {
    meaning: "A route's offer does not fit into the header budget.",
    remedy: 'Shorten the description, the example or the list of offers named in the message.',
    retryable: false,
    httpStatus: 500,
  },
  header_too_large: {
    meaning: 'The payment header is larger than any payment.',
    remedy: 'Send one payment.',
    retryable: false,
    httpStatus: 431,
  },
  invalid_pay_to: {
    meaning: 'payTo is not an Algorand address.',
    remedy: "Use the seller's 58-character address.",
    retryable: false,
    httpStatus: 500,
  },
  invalid_route: {
    meaning: "A route's configuration is not valid.",
    remedy: 'Correct the route named in the message.',
    retryable: false,
    httpStatus: 500,
  },
  no_matching_offer: {
    meaning: 'The payment accepts none of the current offers.',
    remedy: 'Ask for a fresh offer and pay one of its entries.',
    retryable: false,
    httpStatus: 402,
  },
  payment_id_conflict: {
    meaning: 'The payment id was used with another payment or another request.',
    remedy: 'Make a new id for each payment.',
    retryable: false,
    httpStatus: 409,
  },
  payment_id_required: {
    meaning: 'This resource requires a payment id.',
    remedy: 'Send the extension payment-identifier with an id.',
    retryable: false,
    httpStatus: 400,
  },
  payment_required: {
    meaning: 'The resource is paid for by request.',
    remedy: 'Pay one of the offers in PAYMENT-REQUIRED.',
    retryable: false,
    httpStatus: 402,
  },
  response_not_settleable: {
    meaning: "The handler's response cannot be held until the payment is settled.",
    remedy: 'Use the flow upfront for streams and large responses.',
    retryable: false,
    httpStatus: 500,
  },
  shadowed_route: {
    meaning: 'A route can never match because an earlier one takes its requests.',
    remedy: 'Reorder the routes, or remove one.',
    retryable: false,
    httpStatus: 500,
  },
  too_many_attempts: {
    meaning: 'The handler ran the most often that one payment allows.',
    remedy: 'Pay with a new transaction.',
    retryable: false,
    httpStatus: 402,
  },
  too_many_payments_in_flight: {
    meaning: 'This payer has too many payments under way.',
    remedy: 'Wait for the outcome of earlier requests.',
    retryable: true,
    httpStatus: 429,
  },
  unsupported_asset: {
    meaning: 'The asset is not an Algorand asset id.',
    remedy: 'Use the numeric id of an Algorand Standard Asset.',
    retryable: false,
    httpStatus: 500,
  },
  verification_overloaded: {
    meaning: 'Too many unverified copies of this payment are under way.',
    remedy: 'Repeat the request.',
    retryable: true,
    httpStatus: 503,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
