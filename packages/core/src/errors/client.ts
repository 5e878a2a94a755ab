import type { ErrorDescription } from './description.ts';

/** Errors of the paying client. */
export const clientErrors = {
  account_unfunded: {
    meaning: 'The account holds too little ALGO for this.',
    remedy: 'Send it the ALGO that the message names; on a development node "avm402 fund" gives it.',
    retryable: false,
    httpStatus: 400,
  },
  algod_not_configured: {
    meaning: 'No algod is configured for the offered network.',
    remedy: 'Set ALGOD_URL (and ALGOD_TOKEN) to a node of that network that you trust.',
    retryable: false,
    httpStatus: 400,
  },
  asset_not_found: {
    meaning: 'The network has no such asset.',
    remedy: 'Check the id, and that ALGOD_URL is a node of the network that you mean.',
    retryable: false,
    httpStatus: 400,
  },
  body_not_replayable: {
    meaning: "The request's body can be read only once, so it could not be sent again with the payment.",
    remedy: 'Pass a string, bytes, FormData or URLSearchParams as body.',
    retryable: false,
    httpStatus: 400,
  },
  channel_unavailable: {
    meaning: "A channel can't be used now.",
    remedy: 'Read the reason in the message; what the channel holds comes back when it is closed, or after its expiry.',
    retryable: true,
    httpStatus: 400,
  },
  charge_above_maximum: {
    meaning: 'The receipt says that a request cost more than its offer allowed.',
    remedy: 'Tell the seller; it can claim what the offer allowed and no more.',
    retryable: false,
    httpStatus: 400,
  },
  fee_above_limit: {
    meaning: 'The network asks for a fee above the limit of 10,000 µAlgo.',
    remedy: 'Wait until the network is less busy, or raise the limit.',
    retryable: false,
    httpStatus: 400,
  },
  fee_payer_suspicious: {
    meaning: 'The offered fee payer is the payer or the receiver.',
    remedy: 'Do not pay this offer; tell the seller.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_arguments: {
    meaning: 'The command was called with wrong arguments.',
    remedy: 'Run the command with --help.',
    retryable: false,
    httpStatus: 400,
  },
  invalid_spend_options: {
    meaning: 'An option of the paying client is not valid.',
    remedy: 'Correct the option named in the message.',
    retryable: false,
    httpStatus: 400,
  },
  journal_corrupt: {
    meaning: 'The payment journal holds a line that was not written by this program.',
    remedy: 'Restore the line named in the message, or begin a new journal and watch the budgets yourself.',
    retryable: false,
    httpStatus: 400,
  },
  journal_locked: {
    meaning: 'Another process holds the payment journal.',
    remedy: 'Wait until it has ended, or give each process a journal of its own.',
    retryable: true,
    httpStatus: 400,
  },
  journal_unavailable: {
    meaning: "The payment journal can't be read or written; without it nothing is paid.",
    remedy: "Check the journal's path, its permissions and the disk.",
    retryable: true,
    httpStatus: 400,
  },
  network_mismatch: {
    meaning: 'algod belongs to another network than the offer.',
    remedy: 'Point ALGOD_URL at a node of the offered network.',
    retryable: false,
    httpStatus: 400,
  },
  no_acceptable_offer: {
    meaning: 'None of the offers is acceptable under the spend policy.',
    remedy: 'Read the reasons in the message; raise the limits if the price is right.',
    retryable: false,
    httpStatus: 400,
  },
  no_payment_settled: {
    meaning: 'No payment was settled.',
    remedy: 'Read the status and the reason; nothing was paid.',
    retryable: false,
    httpStatus: 400,
  },
  offer_declined: {
    meaning: 'The offer was declined by the program that asked.',
    remedy: 'Accept it in onOffer, or leave it.',
    retryable: false,
    httpStatus: 400,
  },
  payment_outcome_unknown: {
    meaning: "The payment's outcome is not known yet.",
    remedy: 'Do not pay again; ask for the outcome with the transaction id.',
    retryable: true,
    httpStatus: 400,
  },
  payment_settled_without_response: {
    meaning: 'The payment was settled, but the resource answered an error.',
    remedy: 'Repeat the request with the same payment, or tell the seller the transaction id.',
    retryable: false,
    httpStatus: 400,
  },
  request_failed: {
    meaning: 'The request failed on its way.',
    remedy: 'Check the URL and the network.',
    retryable: true,
    httpStatus: 400,
  },
  signer_failed: {
    meaning: 'The wallet did not sign the payment.',
    remedy: 'Approve the request in the wallet.',
    retryable: false,
    httpStatus: 400,
  },
  spend_limit_exceeded: {
    meaning: 'The payment would exceed a spend limit.',
    remedy: 'Raise the limit if the price is right.',
    retryable: false,
    httpStatus: 400,
  },
  unsafe_redirect: {
    meaning: 'The server redirects a paid request to another origin.',
    remedy: 'Ask the other origin directly; a payment is never passed on.',
    retryable: false,
    httpStatus: 400,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
