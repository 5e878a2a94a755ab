import { final, retryable, type ErrorDescription } from './description.ts';

/** Errors of the facilitator itself. */
export const facilitatorErrors = {
  algod_bad_answer: retryable(503, {
    meaning: 'The answer is not one that algod gives.',
    remedy: 'Check that ALGOD_URL is an algod of a supported version.',
  }),
  algod_token_refused: final(503, {
    meaning: 'algod refuses the API token.',
    remedy: "Set ALGOD_TOKEN to the node's algod.token; several algods need one token each, in the order of ALGOD_URL.",
  }),
  algod_unreachable: retryable(503, {
    meaning: 'algod does not answer.',
    remedy: 'Check ALGOD_URL and ALGOD_TOKEN, and that the node runs.',
  }),
  algod_wrong_genesis: final(503, {
    meaning: 'algod belongs to another network than configured.',
    remedy: 'Point ALGOD_URL at a node of the configured network.',
  }),
  caller_unknown: final(401, {
    meaning: 'This needs a key that the facilitator knows.',
    remedy: "Send the header Authorization: Bearer with the key that the facilitator's operator gave you.",
  }),
  facilitator_busy: retryable(503, {
    meaning: 'The facilitator has reached its limit of open work.',
    remedy: 'Repeat the call when some of it has an outcome.',
  }),
  idempotency_key_malformed: final(400, {
    meaning: 'The Idempotency-Key is not 16 to 255 printable ASCII characters.',
    remedy: 'Send 128 random bits, for example as 32 hexadecimal digits.',
  }),
  invalid_query: final(400, {
    meaning: 'The query asks for something that does not exist.',
    remedy: 'Read the message: it names the parameter.',
  }),
  invalid_request: final(400, {
    meaning: "The request's body is not {x402Version, paymentPayload, paymentRequirements}.",
    remedy: 'Send JSON as the x402 specification says.',
  }),
  not_found: final(404, {
    meaning: 'There is nothing here.',
    remedy: "Check the path: the facilitator's documentation lists what it answers.",
  }),
  operator_only: final(403, {
    meaning: "This needs an operator's key.",
    remedy: 'Send the key of a caller with operator: true.',
  }),
  receiver_not_allowed: final(403, {
    meaning: 'The key may not act for this receiver.',
    remedy: "Ask the facilitator's operator to add the address to the key's receivers.",
  }),
  settlement_not_found: final(404, {
    meaning: 'No settlement of this transaction id is recorded here.',
    remedy: 'Check the id; only payments that were submitted are recorded.',
  }),
  shutting_down: retryable(503, {
    meaning: 'The facilitator is shutting down.',
    remedy: 'Repeat the call; another replica or the next start answers it.',
  }),
  store_unavailable: retryable(503, {
    meaning: 'The store does not answer; without it nothing is verified or settled.',
    remedy: 'Check the store; the same call can be repeated.',
  }),
  too_many_requests: retryable(429, {
    meaning: 'More requests came within a minute than are allowed.',
    remedy: 'Wait for the seconds in Retry-After, then try again.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
