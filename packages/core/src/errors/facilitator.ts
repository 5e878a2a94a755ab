import type { ErrorDescription } from './description.ts';

/** Errors of the facilitator itself. */
export const facilitatorErrors = {
  algod_bad_answer: {
    meaning: 'algod answered something that algod does not answer.',
    remedy: 'Check that ALGOD_URL is an algod of a supported version.',
    retryable: true,
    httpStatus: 503,
  },
  algod_token_refused: {
    meaning: 'algod refuses the API token.',
    remedy: "Set ALGOD_TOKEN to the node's algod.token; several algods need one token each, in the order of ALGOD_URL.",
    retryable: false,
    httpStatus: 503,
  },
  algod_unreachable: {
    meaning: 'algod does not answer.',
    remedy: 'Check ALGOD_URL and ALGOD_TOKEN, and that the node runs.',
    retryable: true,
    httpStatus: 503,
  },
  algod_wrong_genesis: {
    meaning: 'algod belongs to another network than configured.',
    remedy: 'Point ALGOD_URL at a node of the configured network.',
    retryable: false,
    httpStatus: 503,
  },
  caller_unknown: {
    meaning: 'This needs a key that the facilitator knows.',
    remedy: "Send the header Authorization: Bearer with the key that the facilitator's operator gave you.",
    retryable: false,
    httpStatus: 401,
  },
  facilitator_busy: {
    meaning: 'The facilitator has as much open work as it keeps at a time.',
    remedy: 'Repeat the call when some of it has an outcome.',
    retryable: true,
    httpStatus: 503,
  },
  idempotency_key_malformed: {
    meaning: 'The Idempotency-Key is not 16 to 255 printable ASCII characters.',
    remedy: 'Send 128 random bits, for example as 32 hexadecimal digits.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_query: {
    meaning: 'The query asks for something that there is not.',
    remedy: 'Read the message: it names the parameter.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_request: {
    meaning: "The request's body is not {x402Version, paymentPayload, paymentRequirements}.",
    remedy: 'Send JSON as the x402 specification says.',
    retryable: false,
    httpStatus: 400,
  },
  not_found: {
    meaning: 'There is nothing here.',
    remedy: "Check the path: the facilitator's documentation lists what it answers.",
    retryable: false,
    httpStatus: 404,
  },
  operator_only: {
    meaning: "This needs an operator's key.",
    remedy: 'Send the key of a caller with operator: true.',
    retryable: false,
    httpStatus: 403,
  },
  receiver_not_allowed: {
    meaning: 'The key does not stand for this receiver.',
    remedy: "Ask the facilitator's operator to add the address to the key's receivers.",
    retryable: false,
    httpStatus: 403,
  },
  settlement_not_found: {
    meaning: 'No settlement of this transaction id is recorded here.',
    remedy: 'Check the id; only payments that were submitted are recorded.',
    retryable: false,
    httpStatus: 404,
  },
  shutting_down: {
    meaning: 'The facilitator is shutting down.',
    remedy: 'Repeat the call; another replica or the next start answers it.',
    retryable: true,
    httpStatus: 503,
  },
  store_unavailable: {
    meaning: 'The store does not answer; without it nothing is verified or settled.',
    remedy: 'Check the store; the same call can be repeated.',
    retryable: true,
    httpStatus: 503,
  },
  too_many_requests: {
    meaning: 'More was asked for in a minute than is allowed.',
    remedy: 'Wait for the seconds in Retry-After, then try again.',
    retryable: true,
    httpStatus: 429,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
