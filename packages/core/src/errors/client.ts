import { final, retryable, type ErrorDescription } from './description.ts';

/** Errors of the paying client. */
export const clientErrors = {
  account_not_opted_in: final(400, {
    meaning: 'The account has not opted in to the asset of the offer, so it holds none.',
    remedy: 'Run "avm402 optin" once, then send the account the asset; on a development node "avm402 fund" does both.',
  }),
  account_short_of_asset: final(400, {
    meaning: 'The account holds less of the asset than the payment takes.',
    remedy: 'Send it what the message names; on a development node "avm402 fund" gives it.',
  }),
  account_unfunded: final(400, {
    meaning: 'The account holds too little ALGO for this.',
    remedy: 'Send it the ALGO that the message names; on a development node "avm402 fund" gives it.',
  }),
  algod_not_configured: final(400, {
    meaning: 'No algod is configured for the offered network.',
    remedy: 'Set ALGOD_URL (and ALGOD_TOKEN) to a node of that network that you trust.',
  }),
  asset_not_found: final(400, {
    meaning: 'The network has no such asset.',
    remedy: 'Check the id, and that ALGOD_URL is a node of the network that you mean.',
  }),
  body_not_replayable: final(400, {
    meaning: "The request's body can be read only once, so it could not be sent again with the payment.",
    remedy: 'Pass a string, bytes, FormData or URLSearchParams as body.',
  }),
  channel_unavailable: retryable(400, {
    meaning: "A channel can't be used now.",
    remedy: 'Read the reason in the message; what the channel holds comes back when it is closed, or after its expiry.',
  }),
  charge_above_maximum: final(400, {
    meaning: 'The receipt says that a request cost more than its offer allowed.',
    remedy: 'Tell the seller; it can claim what the offer allowed and no more.',
  }),
  fee_above_limit: final(400, {
    meaning: 'The network asks for a fee above the limit of 10,000 µAlgo.',
    remedy: 'Wait until the network is less busy, or raise the limit.',
  }),
  fee_payer_suspicious: final(400, {
    meaning: 'The offered fee payer is the payer or the receiver.',
    remedy: 'Do not pay this offer; tell the seller.',
  }),
  invalid_arguments: final(400, {
    meaning: 'The command was called with wrong arguments.',
    remedy: 'Run the command with --help.',
  }),
  invalid_spend_options: final(400, {
    meaning: 'An option of the paying client is not valid.',
    remedy: 'Correct the option named in the message.',
  }),
  journal_corrupt: final(400, {
    meaning: 'The payment journal holds a line that was not written by this program.',
    remedy: 'Restore the line named in the message, or begin a new journal and watch the budgets yourself.',
  }),
  journal_locked: retryable(400, {
    meaning: 'Another process holds the payment journal.',
    remedy: 'Wait until it has ended, or give each process a journal of its own.',
  }),
  journal_unavailable: retryable(400, {
    meaning: "The payment journal can't be read or written; without it nothing is paid.",
    remedy: "Check the journal's path, its permissions and the disk.",
  }),
  mandate_exhausted: retryable(400, {
    meaning: 'All slots of the mandate are taken.',
    remedy: 'Wait until the round in the message: the window ends there, and its slots are free again.',
  }),
  mandate_refuses: final(400, {
    meaning: 'The mandate does not allow this payment.',
    remedy: 'Read the message; the owner can make a mandate that allows it.',
  }),
  network_mismatch: final(400, {
    meaning: 'algod belongs to another network than the offer.',
    remedy: 'Point ALGOD_URL at a node of the offered network.',
  }),
  no_acceptable_offer: final(400, {
    meaning: 'None of the offers is acceptable under the spend policy.',
    remedy: 'Read the reasons in the message; raise the limits if the price is right.',
  }),
  no_payment_settled: final(400, {
    meaning: 'No payment was settled.',
    remedy: 'Read the status and the reason; nothing was paid.',
  }),
  nothing_to_pay: final(400, {
    meaning: 'The server asks for no payment.',
    remedy: 'Request it without paying; if it should cost something, check method and path.',
  }),
  offer_declined: final(400, {
    meaning: 'The offer was declined by the program that asked.',
    remedy: 'Accept it in onOffer, or leave it.',
  }),
  payment_outcome_unknown: retryable(400, {
    meaning: "The payment's outcome is not known yet.",
    remedy: 'Do not pay again; ask for the outcome with the transaction id.',
  }),
  payment_settled_without_response: final(400, {
    meaning: 'The payment was settled, but the resource answered an error.',
    remedy: 'Repeat the request with the same payment, or tell the seller the transaction id.',
  }),
  request_failed: retryable(400, {
    meaning: 'The request failed on its way.',
    remedy: 'Check the URL and the network.',
  }),
  signer_failed: final(400, {
    meaning: 'The wallet did not sign the payment.',
    remedy: 'Approve the request in the wallet.',
  }),
  spend_limit_exceeded: final(400, {
    meaning: 'The payment would exceed a spend limit.',
    remedy: 'Raise the limit if the price is right.',
  }),
  unsafe_redirect: final(400, {
    meaning: 'The server redirects a paid request to another origin.',
    remedy: 'Ask the other origin directly; a payment is never passed on.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
