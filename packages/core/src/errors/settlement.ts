import { final, retryable, type ErrorDescription } from './description.ts';

/** Reasons why a payment by any scheme is not settled, or its outcome is not known yet. */
export const settlementErrors = {
  duplicate_settlement: final(402, {
    meaning: 'This payment is settled already, under another key or for another caller.',
    remedy: 'Repeat the call with its own Idempotency-Key, or look at /settlements/{txid}.',
  }),
  payment_already_on_chain: final(402, {
    meaning:
      'The transaction was on the ledger or in the pool before this facilitator submitted it: a transaction found on chain is not a payment.',
    remedy: 'Pay with a new transaction; prefer offers with a fee payer, which nobody else can submit.',
  }),
  requirements_changed: final(402, {
    meaning: 'The payment is recorded for other requirements than these.',
    remedy: 'Settle with the requirements of the first call.',
  }),
  settlement_expired: final(402, {
    meaning: 'The payment was not confirmed before its last valid round and never will be.',
    remedy: 'Sign a new payment.',
  }),
  settlement_pending: retryable(503, {
    meaning: 'The payment was submitted; its outcome is not known yet.',
    remedy: 'Ask again with the same payment and key; do not pay again.',
  }),
  settlement_rejected: final(402, {
    meaning: 'The network refused the payment; it could still be confirmed until its last valid round.',
    remedy: 'Wait until extra.lastValid has passed before you pay again.',
  }),
  sponsor_rekeyed: retryable(503, {
    meaning: "The sponsor's account is rekeyed to a key that the facilitator lacks.",
    remedy: "Ask the facilitator's operator to set the sponsor's new key.",
  }),
  sponsor_unfunded: retryable(503, {
    meaning: "The sponsor's account can't pay the fee.",
    remedy: "Ask the facilitator's operator to fund the sponsor.",
  }),
  unexpected_settle_error: retryable(503, {
    meaning: 'The facilitator failed while settling.',
    remedy: 'Ask again with the same payment; its record is kept.',
  }),
  unexpected_verify_error: retryable(503, {
    meaning: 'The facilitator failed while verifying.',
    remedy: 'Try again.',
  }),
  unsupported_network: final(402, {
    meaning: 'The network is not served here.',
    remedy: 'Use a network that /supported lists.',
  }),
  unsupported_scheme: final(402, {
    meaning: 'The scheme is not served here.',
    remedy: 'Use a scheme that /supported lists.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
