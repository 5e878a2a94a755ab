import type { ErrorDescription } from './description.ts';

/** Reasons of a refusal on the wire, scheme `upto`. */
export const uptoErrors = {
  invalid_upto_avm_above_maximum: {
    meaning: 'The charge is above what the payer allows.',
    remedy: 'Settle at most the amount that was accepted.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_authorization: {
    meaning: 'The authorization is not one of the offer.',
    remedy: 'Build it from the offer as it was answered; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_expired: {
    meaning: 'The authorization has too few rounds left.',
    remedy: 'Sign a new authorization.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_payload: {
    meaning: "The payment's payload is not one of the scheme upto.",
    remedy: 'Send an authorization and its signature as the specification shows; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_settled: {
    meaning: 'The authorization is settled, for another amount.',
    remedy: 'An authorization settles once; sign a new one.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_signature: {
    meaning: "The authorization is not signed by the payer's key.",
    remedy: 'Sign the program with the key of the payer, or of the account that it is rekeyed to.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_upto_avm_simulation_failed: {
    meaning: 'The network would refuse the transfer.',
    remedy: 'Read the message: it is what the node says.',
    retryable: false,
    httpStatus: 402,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
