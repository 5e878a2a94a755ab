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
  facilitator_busy: {
    meaning: 'The facilitator has as many open settlements as it keeps at a time.',
    remedy: 'Repeat the call when some of them have an outcome.',
    retryable: true,
    httpStatus: 503,
  },
  idempotency_key_malformed: {
    meaning: 'The Idempotency-Key is not 16 to 255 printable ASCII characters.',
    remedy: 'Send 128 random bits, for example as 32 hexadecimal digits.',
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
} as const satisfies Readonly<Record<string, ErrorDescription>>;
