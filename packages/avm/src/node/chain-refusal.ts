import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { X402Error, type X402ErrorCode } from '@avm402/core/errors';

const CODES: Partial<Readonly<Record<AlgodRefusal['kind'], X402ErrorCode>>> = {
  already_in_ledger: 'payment_already_on_chain',
  insufficient_balance: 'invalid_exact_avm_insufficient_balance',
  receiver_not_opted_in: 'invalid_exact_avm_receiver_not_opted_in',
  not_opted_in: 'invalid_exact_avm_payer_not_opted_in',
  asset_frozen: 'invalid_exact_avm_asset_frozen',
  wrong_authorizer: 'invalid_exact_avm_signer_mismatch',
  invalid_signature: 'invalid_exact_avm_invalid_signature',
  fee_too_low: 'invalid_exact_avm_fee_too_low',
  lease_held: 'invalid_exact_avm_lease_held',
};

/** Longest part of algod's text that is passed on. */
const MAX_TEXT = 200;

/**
 * The coded error for algod's refusal of a payment, from simulate or from a submission.
 * @param sponsors - the accounts that pay fees, or lend ALGO, for it
 * @param fallback - the code for a refusal that says nothing that a payer could act on
 */
export function chainRefusal(
  refusal: AlgodRefusal,
  sponsors: { has(address: string): boolean } | undefined,
  fallback: X402ErrorCode,
): X402Error {
  const account = refusal.kind === 'insufficient_balance' ? refusal.account : undefined;
  if (account !== undefined && sponsors?.has(account) === true) return new X402Error('sponsor_unfunded');
  return new X402Error(codeOf(refusal) ?? fallback, { message: brief(refusal.text) });
}

function codeOf(refusal: AlgodRefusal): X402ErrorCode | undefined {
  if (refusal.kind !== 'outside_window') return CODES[refusal.kind];
  return refusal.round < refusal.firstValid ? 'invalid_exact_avm_not_yet_valid' : 'invalid_exact_avm_expired';
}

/** algod's sentence without the dumps of Go structures that it prints into it. */
function brief(text: string): string {
  return text
    .replace(/, data \{.*\}, /s, ', ')
    .replace(/transaction \{.*\} invalid : /s, 'transaction invalid: ')
    .slice(0, MAX_TEXT);
}
