import { final, retryable, type ErrorDescription } from './description.ts';
import { reasonsOf } from './shared-reasons.ts';

/** Reasons why a payment by `exact` is refused on the wire. Upstream's names are kept; finer ones are added. */
export const exactErrors = {
  ...reasonsOf('exact'),
  invalid_exact_avm_accepted_mismatch: final(402, {
    meaning: 'The payment accepts other terms than the seller asks for.',
    remedy: 'Ask for a fresh offer and pay exactly one of its entries.',
  }),
  invalid_exact_avm_amount_mismatch: final(402, {
    meaning: 'The payment transfers another amount than the offer asks for.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_asset_close: final(402, {
    meaning: "The payment transaction closes the payer's asset holding.",
    remedy: 'Leave the close-remainder-to field out.',
  }),
  invalid_exact_avm_asset_mismatch: final(402, {
    meaning: 'The payment transfers another asset than the offer asks for.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_asset_sender: final(402, {
    meaning: 'The payment transaction is a clawback (it names an asset sender).',
    remedy: "Transfer from the payer's own holding.",
  }),
  invalid_exact_avm_confirmation_failed: retryable(503, {
    meaning: 'The payment was submitted, but its confirmation was not seen.',
    remedy: 'Look at /settlements/{txid}; do not pay again before it is expired.',
  }),
  invalid_exact_avm_fee_payer_mismatch: final(402, {
    meaning: 'The fee-paying transaction is not sent by the offered fee payer.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_fee_payer_not_offered: final(402, {
    meaning: 'The group holds a fee-paying transaction, but the offer names no fee payer.',
    remedy: 'Pay the fee yourself, or take an offer with extra.feePayer.',
  }),
  invalid_exact_avm_genesis_hash_mismatch: final(402, {
    meaning: 'A transaction belongs to another network than the offer.',
    remedy: 'Point the client at an algod of the offered network.',
  }),
  invalid_exact_avm_group_id_mismatch: final(402, {
    meaning: "The group id is not the hash of the group's transactions.",
    remedy: 'Compute the group id over exactly the transactions that are sent.',
  }),
  invalid_exact_avm_group_shape: final(402, {
    meaning: "The group is neither [fee payer's pay, payer's transfer] nor the transfer alone.",
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_group_size_exceeded: final(402, {
    meaning: 'The group holds more than 16 transactions.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_invalid_fee_payer: final(402, {
    meaning: 'The fee-paying transaction is not a plain zero payment of the sponsor to itself.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_invalid_group_id: final(402, {
    meaning: 'The transactions carry different group ids, or some carry none.',
    remedy: 'Assign one group id to all transactions.',
  }),
  invalid_exact_avm_invalid_transaction: final(402, {
    meaning: 'An element of the payment group is not a transaction.',
    remedy: 'Send msgpack transactions in standard base64.',
  }),
  invalid_exact_avm_invalid_version: final(402, {
    meaning: 'The payment is not of x402 version 2.',
    remedy: 'Send x402Version 2.',
  }),
  invalid_exact_avm_lease: final(402, {
    meaning: 'A transaction of the payment holds a lease, and is not signed by a program.',
    remedy: 'Leave the lease out.',
  }),
  invalid_exact_avm_logic_signature: final(402, {
    meaning: 'The payment is signed by a logic signature that is not accepted here.',
    remedy: 'Read the message: it says whether a smaller program would do, or only a key or a multisig account.',
  }),
  invalid_exact_avm_network_mismatch: final(402, {
    meaning: 'The payment and the offer name different networks.',
    remedy: 'Pay on the offered network.',
  }),
  invalid_exact_avm_not_asset_transfer: final(402, {
    meaning: 'The payment transaction is not an asset transfer.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_not_canonical: final(402, {
    meaning: 'A transaction is not in canonical encoding, so its bytes could mean something else elsewhere.',
    remedy: 'Encode with an Algorand SDK; keys sorted, no empty fields, smallest integers.',
  }),
  invalid_exact_avm_note_too_long: final(402, {
    meaning: "The payment's note is longer than 1,024 bytes.",
    remedy: 'Shorten the note.',
  }),
  invalid_exact_avm_payer_is_receiver: final(402, {
    meaning: 'Payer and receiver are the same account.',
    remedy: 'Pay from another account.',
  }),
  invalid_exact_avm_payload: final(402, {
    meaning: "The payment's payload is not {paymentGroup, paymentIndex}.",
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_payment_index: final(402, {
    meaning: 'paymentIndex does not name an element of the group.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_payment_not_signed: final(402, {
    meaning: 'The payment transaction is not signed.',
    remedy: "Sign it with the payer's key.",
  }),
  invalid_exact_avm_receiver_mismatch: final(402, {
    meaning: 'The payment goes to another receiver than the offer asks for.',
    remedy: 'Build the payment from the offer as it was answered; a current client does.',
  }),
  invalid_exact_avm_rekey: final(402, {
    meaning: "A transaction of the payment changes an account's authorizing key.",
    remedy: 'Leave the rekey-to field out.',
  }),
  invalid_exact_avm_scheme: final(402, {
    meaning: 'The payment is not of the scheme exact.',
    remedy: 'Pay an offer of the scheme exact.',
  }),
  invalid_exact_avm_settlement_failed: final(402, {
    meaning: 'The network refused the submitted payment.',
    remedy: 'Read the message; the group stays valid until its last valid round.',
  }),
  invalid_exact_avm_too_many_signatures: final(402, {
    meaning: 'The payment carries more signatures of a multisig account than are verified for a stranger (16).',
    remedy: 'Pay from an account that needs at most 16 signatures, and sign with no more than it needs.',
  }),
  invalid_exact_avm_unknown_field: final(402, {
    meaning: 'A transaction has a field that is not part of a payment.',
    remedy: 'Send only the fields of a plain asset transfer.',
  }),
  invalid_exact_avm_window_too_long: final(402, {
    meaning: "The payment's validity window is longer than the protocol's 1,000 rounds.",
    remedy: 'Use lastValid ≤ firstValid + 1000.',
  }),
  invalid_exact_avm_window_too_short: final(402, {
    meaning: 'Fewer than 3 rounds are left in which the payment could be confirmed.',
    remedy: 'Sign a new payment with a longer window.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;
