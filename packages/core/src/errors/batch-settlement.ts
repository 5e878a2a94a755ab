import { final, retryable, type ErrorDescription } from './description.ts';
import { reasonsOf } from './shared-reasons.ts';

/**
 * Reasons why a payment by `batch-settlement` is refused on the wire. Names follow the scheme's other bindings where
 * they fit.
 */
export const batchSettlementErrors = {
  ...reasonsOf('batch_settlement'),
  invalid_batch_settlement_avm_channel_busy: final(402, {
    meaning: 'Another request of this channel came with the same amount.',
    remedy: 'Sign a voucher for a new, higher amount.',
  }),
  invalid_batch_settlement_avm_channel_closed: final(402, {
    meaning: 'The channel is closed, or is being closed.',
    remedy: 'Open a new channel.',
  }),
  invalid_batch_settlement_avm_channel_config: final(402, {
    meaning: "The channel's configuration is not one that the scheme allows.",
    remedy: 'Build it from the offer: receiver, receiverAuthorizer and token are its terms; a current client does.',
  }),
  invalid_batch_settlement_avm_channel_expiring: final(402, {
    meaning: 'The channel expires too soon to be closed in time.',
    remedy: 'Open a new channel; the seller closes this one.',
  }),
  invalid_batch_settlement_avm_channel_id_mismatch: final(402, {
    meaning: 'The voucher is for another channel than the configuration describes.',
    remedy: 'Send the voucher with the configuration of its channel.',
  }),
  invalid_batch_settlement_avm_channel_not_expired: retryable(402, {
    meaning: 'The channel has not expired yet.',
    remedy: 'Ask the seller to close it, or wait for the round in expiry.',
  }),
  invalid_batch_settlement_avm_channel_not_found: final(402, {
    meaning: 'The seller or the facilitator knows no such channel of this seller.',
    remedy: 'Open a channel with a deposit. What an unknown channel holds comes back after its expiry.',
  }),
  invalid_batch_settlement_avm_channel_used: final(402, {
    meaning: 'The address of this channel has a history.',
    remedy: 'Choose a new salt: the address of a channel is used once.',
  }),
  invalid_batch_settlement_avm_claim_authorization: final(402, {
    meaning: 'The claim is not signed by the seller for whom the channel was opened.',
    remedy: 'Sign it with the claim key whose address was in the offer.',
  }),
  invalid_batch_settlement_avm_close_authorization: final(402, {
    meaning: 'The request for an early close is not signed by the channel’s payer.',
    remedy: 'Sign it with the payer authorizer’s key; a voucher is not enough.',
  }),
  invalid_batch_settlement_avm_cumulative_amount_mismatch: final(402, {
    meaning: 'The voucher covers too little for what is charged and under way, or is too old.',
    remedy: 'Sign anew, above the amounts of the corrective offer, once your own signature in it is verified.',
  }),
  invalid_batch_settlement_avm_cumulative_exceeds_balance: final(402, {
    meaning: 'The voucher is for more than the channel holds.',
    remedy: 'Add to the deposit, or open a new channel.',
  }),
  invalid_batch_settlement_avm_deposit_below_minimum: final(402, {
    meaning: 'The deposit is below the least one that the seller takes.',
    remedy: 'Deposit at least extra.minDeposit.',
  }),
  invalid_batch_settlement_avm_deposit_group: final(402, {
    meaning: 'The group of a deposit is not the one that opens this channel or adds to it.',
    remedy: 'Build it from the configuration as the specification shows; a current client does.',
  }),
  invalid_batch_settlement_avm_payload: final(402, {
    meaning: "The payment's payload is not one of the scheme batch-settlement.",
    remedy: 'Send a deposit, a voucher or a refund as the specification shows; a current client does.',
  }),
  invalid_batch_settlement_avm_sponsorship: final(402, {
    meaning: 'The facilitator does not lend the ALGO for this channel.',
    remedy: 'Close channels that are not used, deposit more, or pay with the scheme exact.',
  }),
  invalid_batch_settlement_avm_voucher_signature: final(402, {
    meaning: "The voucher is not signed by the channel's payer authorizer.",
    remedy: 'Sign it with the session key of the channel.',
  }),
  invalid_batch_settlement_avm_voucher_too_low: final(402, {
    meaning: 'The claim is for more than its voucher allows.',
    remedy: 'Claim at most the amount of the highest voucher.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
