import type { ErrorDescription } from './description.ts';

/** Reasons of a refusal on the wire, scheme `batch-settlement`. The names are those of its other bindings where they fit. */
export const channelErrors = {
  invalid_batch_settlement_avm_channel_busy: {
    meaning: 'Another request of this channel came with the same amount.',
    remedy: 'Sign a voucher over a new, higher amount.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_closed: {
    meaning: 'The channel is closed, or is being closed.',
    remedy: 'Open a new channel.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_config: {
    meaning: "The channel's configuration is not one that the scheme allows.",
    remedy: 'Build it from the offer: receiver, receiverAuthorizer and token are its terms; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_expiring: {
    meaning: 'The channel expires too soon to be closed in time.',
    remedy: 'Open a new channel; the seller closes this one.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_id_mismatch: {
    meaning: 'The voucher is for another channel than the configuration describes.',
    remedy: 'Send the voucher with the configuration of its channel.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_not_expired: {
    meaning: 'The channel has not expired yet.',
    remedy: 'Ask the seller to close it, or wait for the round in expiry.',
    retryable: true,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_not_found: {
    meaning: 'The seller or the facilitator knows no such channel of this seller.',
    remedy: 'Open a channel with a deposit. What an unknown channel holds comes back after its expiry.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_channel_used: {
    meaning: 'The address of this channel has a history.',
    remedy: 'Choose a new salt: the address of a channel is used once.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_claim_authorization: {
    meaning: 'The claim does not carry the word of the seller who opened the channel.',
    remedy: 'Sign it with the claim key whose address was in the offer.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_cumulative_amount_mismatch: {
    meaning: 'The voucher covers too little for what is charged and under way, or is too old.',
    remedy: 'Sign anew, above the amounts of the corrective offer, once your own signature in it is verified.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_cumulative_exceeds_balance: {
    meaning: 'The voucher is over more than the channel holds.',
    remedy: 'Add to the deposit, or open a new channel.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_deposit_below_minimum: {
    meaning: 'The deposit is below the least one that the seller takes.',
    remedy: 'Deposit at least extra.minDeposit.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_deposit_group: {
    meaning: 'The group of a deposit is not the one that opens this channel or adds to it.',
    remedy: 'Build it from the configuration as the specification shows; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_payload: {
    meaning: "The payment's payload is not one of the scheme batch-settlement.",
    remedy: 'Send a deposit, a voucher or a refund as the specification shows; a current client does.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_sponsorship: {
    meaning: 'The facilitator does not lend the ALGO for this channel.',
    remedy: 'Close channels that are not used, deposit more, or pay with the scheme exact.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_voucher_signature: {
    meaning: "The voucher is not signed by the channel's payer authorizer.",
    remedy: 'Sign it with the session key of the channel.',
    retryable: false,
    httpStatus: 402,
  },
  invalid_batch_settlement_avm_voucher_too_low: {
    meaning: 'The claim is over more than its voucher allows.',
    remedy: 'Claim at most the amount of the highest voucher.',
    retryable: false,
    httpStatus: 402,
  },
} as const satisfies Readonly<Record<string, ErrorDescription>>;
