import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { schemeCode, type SchemeInCodes, type SharedReason, X402Error, type X402ErrorCode } from '@avm402/core/errors';

const REASONS: Partial<Readonly<Record<AlgodRefusal['kind'], SharedReason>>> = {
  insufficient_balance: 'insufficient_balance',
  receiver_not_opted_in: 'receiver_not_opted_in',
  not_opted_in: 'payer_not_opted_in',
  asset_frozen: 'asset_frozen',
  wrong_authorizer: 'signer_mismatch',
  invalid_signature: 'invalid_signature',
  fee_too_low: 'fee_too_low',
  lease_held: 'lease_held',
};

/** The longest part of algod's text that is passed on. */
const MAX_TEXT = 200;

/**
 * The coded error for algod's refusal of a payment, from simulate or from a submission.
 * @param sponsors - the accounts that pay fees, or lend ALGO, for it
 * @param scheme - the scheme whose codes it has
 * @param fallback - the code for a refusal that says nothing that a payer could act on
 */
export function chainRefusal(
  refusal: AlgodRefusal,
  sponsors: { has(address: string): boolean } | undefined,
  scheme: SchemeInCodes,
  fallback: X402ErrorCode = schemeCode(scheme, 'simulation_failed'),
): X402Error {
  const account = refusal.kind === 'insufficient_balance' ? refusal.account : undefined;
  if (account !== undefined && sponsors?.has(account) === true) return new X402Error('sponsor_unfunded');
  const reason = reasonOf(refusal);
  const known = refusal.kind === 'already_in_ledger' ? 'payment_already_on_chain' : fallback;
  return new X402Error(reason === undefined ? known : schemeCode(scheme, reason), { message: brief(refusal.text) });
}

function reasonOf(refusal: AlgodRefusal): SharedReason | undefined {
  if (refusal.kind !== 'outside_window') return REASONS[refusal.kind];
  return refusal.round < refusal.firstValid ? 'not_yet_valid' : 'expired';
}

/** algod's sentence without the dumps of Go structures that it contains. */
function brief(text: string): string {
  return text
    .replace(/, data \{.*\}, /s, ', ')
    .replace(/transaction \{.*\} invalid : /s, 'transaction invalid: ')
    .slice(0, MAX_TEXT);
}
