import { final, type ErrorDescription } from './description.ts';
import { reasonsOf } from './shared-reasons.ts';

/** Reasons why a payment by `upto` is refused on the wire. */
export const uptoErrors = {
  ...reasonsOf('upto'),
  invalid_upto_avm_above_maximum: final(402, {
    meaning: 'The charge is above what the payer allows.',
    remedy: 'Settle at most the amount that was accepted.',
  }),
  invalid_upto_avm_authorization: final(402, {
    meaning: 'The authorization is not one of the offer.',
    remedy: 'Build it from the offer as it was answered; a current client does.',
  }),
  invalid_upto_avm_expired: final(402, {
    meaning: 'The authorization has too few rounds left.',
    remedy: 'Sign a new authorization.',
  }),
  invalid_upto_avm_payload: final(402, {
    meaning: "The payment's payload is not one of the scheme upto.",
    remedy: 'Send an authorization and its signature as the specification shows; a current client does.',
  }),
  invalid_upto_avm_settled: final(402, {
    meaning: 'The authorization is settled, for another amount.',
    remedy: 'An authorization settles once; sign a new one.',
  }),
  invalid_upto_avm_signature: final(402, {
    meaning: "The authorization is not signed by the payer's key.",
    remedy: 'Sign the program with the key of the payer, or of the account that it is rekeyed to.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
