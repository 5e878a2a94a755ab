import { final, retryable, type ErrorDescription } from './description.ts';

/** Errors of the resource server, at its start and in its answers. */
export const serverErrors = {
  ambiguous_path: final(400, {
    meaning: "The request's path can be read in more than one way.",
    remedy: 'Ask for the path without encoded separators.',
  }),
  asset_decimals_unknown: final(500, {
    meaning: "The asset's decimals are not known, so a price can't be turned into an amount.",
    remedy: "Name the asset's decimals in extra.decimals, or give the price as {asset, amount}.",
  }),
  channel_lost: final(500, {
    meaning: "A channel's expiry has passed before what it owed was claimed.",
    remedy: 'Nothing can be claimed any more. Find out why its closes failed: the seller closes channels well before.',
  }),
  channel_not_closed: retryable(503, {
    meaning: 'The channel takes no vouchers any more, and is not closed on chain yet.',
    remedy: 'Wait: the seller tries again until the expiry.',
  }),
  description_too_long: final(500, {
    meaning:
      "A route's description is longer than the 500 characters that catalogues take: some cut it, others leave the route out.",
    remedy: 'Shorten the description of the route named in the message.',
  }),
  duplicate_payment: final(402, {
    meaning: 'This payment has been used already.',
    remedy: 'Pay with a new transaction; for the response of this one, repeat the request with its payment id.',
  }),
  duplicate_route: final(500, {
    meaning: 'Two routes match the same requests.',
    remedy: 'Remove one, or make their paths distinct.',
  }),
  express_required: final(500, {
    meaning: 'The payment middleware got a request that does not come from an Express app.',
    remedy: 'Mount it in one: express().use(paymentMiddleware(routes, server)).',
  }),
  extension_echo_mismatch: final(402, {
    meaning: 'The payment changes what the server declared in an extension.',
    remedy: 'Echo the extensions of the offer unchanged.',
  }),
  facilitator_bad_answer: retryable(503, {
    meaning: "The facilitator's answer does not follow x402.",
    remedy: 'Check FACILITATOR_URL.',
  }),
  facilitator_mismatch: final(500, {
    meaning: 'The facilitator URLs do not belong to one facilitator: their store ids differ or are missing.',
    remedy: 'List only replicas that share one settlement store.',
  }),
  facilitator_unreachable: retryable(503, {
    meaning: 'The facilitator does not answer.',
    remedy: 'Try again; nothing was charged by this request.',
  }),
  facilitator_url_insecure: final(500, {
    meaning: 'A facilitator URL is not https.',
    remedy: 'Use https; http is for loopback only.',
  }),
  handler_timeout: retryable(504, {
    meaning: 'The handler did not answer in time; nothing was charged.',
    remedy: 'Repeat the request with the same payment.',
  }),
  header_budget_exceeded: final(500, {
    meaning: "A route's offer does not fit into the header budget.",
    remedy: 'Shorten the description, the example or the list of offers named in the message.',
  }),
  header_too_large: final(431, {
    meaning: 'The payment header is larger than any payment.',
    remedy: 'Send one payment.',
  }),
  http_version_unsupported: final(505, {
    meaning: 'Express, Fastify and node:http sell over HTTP/1.1 only.',
    remedy: 'Ask over HTTP/1.1; as a seller, put a proxy before the app.',
  }),
  incompatible_resource_server: final(500, {
    meaning: 'The resource server object is not one that this version knows.',
    remedy: 'Use x402ResourceServer of @x402/core 2.26.',
  }),
  invalid_option: final(500, {
    meaning: 'An option of the payment middleware is not valid.',
    remedy: 'Correct the option named in the message.',
  }),
  invalid_pay_to: final(500, {
    meaning: 'payTo is not an Algorand address, or is the payer.',
    remedy: "Use the seller's 58-character address.",
  }),
  invalid_response_body: final(500, {
    meaning: 'A handler wrote something that is neither text nor bytes.',
    remedy: 'Write a string, a Buffer or a Uint8Array.',
  }),
  invalid_route: final(500, {
    meaning: "A route's configuration is not valid.",
    remedy: 'Correct the route named in the message.',
  }),
  no_matching_offer: final(402, {
    meaning: 'The payment accepts none of the current offers.',
    remedy: 'Ask for a fresh offer and pay one of its entries.',
  }),
  payment_id_conflict: final(409, {
    meaning: 'The payment id was used with another payment or another request.',
    remedy: 'Make a new id for each payment.',
  }),
  payment_id_required: final(400, {
    meaning: 'This resource requires a payment id.',
    remedy: 'Send the extension payment-identifier with an id.',
  }),
  payment_refused: final(403, {
    meaning: 'The seller does not take this payment; nothing was charged.',
    remedy: 'Read the message; ask the seller.',
  }),
  payment_required: final(402, {
    meaning: 'Each request for this resource has to be paid for.',
    remedy: 'Pay one of the offers in PAYMENT-REQUIRED.',
  }),
  resource_server_hooks: final(500, {
    meaning: 'The resource server has hooks, which this middleware does not run.',
    remedy: 'Move guards to the option beforePayment and listeners to onEvent.',
  }),
  response_failed: retryable(500, {
    meaning: 'The payment was settled, but the response could not be sent.',
    remedy: 'Repeat the request with the same payment and payment id, or tell the seller the transaction id.',
  }),
  response_not_settleable: final(500, {
    meaning: "The handler's response can't be held until the payment is settled.",
    remedy: 'Use the flow upfront for streams and large responses.',
  }),
  routes_never_matched: final(500, {
    meaning: 'Many requests came, but none matched a route of a table: what it sells may be served unpaid.',
    remedy:
      'Write the paths as the app that has the table sees them, or charge on the handler: seller.paid, seller.priced.',
  }),
  shadowed_route: final(500, {
    meaning: 'A route can never match because an earlier one takes its requests.',
    remedy: 'Reorder the routes, or remove one.',
  }),
  too_many_attempts: final(402, {
    meaning: 'The handler ran as often as one payment allows.',
    remedy: 'Pay with a new transaction.',
  }),
  too_many_bodies_held: retryable(503, {
    meaning:
      'The server holds as many request bodies as it can until their payments are verified; nothing was charged.',
    remedy: 'Repeat the request with the same payment, or send it without a payment id.',
  }),
  too_many_payments_in_flight: retryable(429, {
    meaning: 'This payer has too many payments under way.',
    remedy: 'Wait for the outcome of earlier requests.',
  }),
  too_many_responses_held: retryable(503, {
    meaning: 'The server holds as many responses as it can until they are paid; nothing was charged.',
    remedy: 'Repeat the request with the same payment.',
  }),
  too_many_unused_channels: retryable(503, {
    meaning:
      'Too many channels were opened from this address within an hour without paying for anything; nothing was deposited.',
    remedy: 'Pay with a channel that is open, or by another offer; open a channel later.',
  }),
  unsupported_asset: final(500, {
    meaning: 'The asset is not an Algorand asset id.',
    remedy: 'Use the numeric id of an Algorand Standard Asset.',
  }),
  verification_overloaded: retryable(503, {
    meaning: 'Too many payments wait to be verified.',
    remedy: 'Repeat the request.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
