import { X402Error, type X402ErrorCode } from '@avm402/core/errors';

/** The accounts that a refusal may be about. */
export interface PaymentParties {
  readonly payer: string;
  readonly feePayer?: string;
}

interface RefusalPattern {
  /** Matched against algod's text (ledger/eval, ledger/apply); a named group `account` tells whose fault it is. */
  readonly text: RegExp;
  readonly code: X402ErrorCode;
}

const REFUSALS: readonly RefusalPattern[] = [
  { text: /transaction already in ledger/, code: 'payment_already_on_chain' },
  { text: /overspend \(account (?<account>[A-Z2-7]{58})/, code: 'invalid_exact_avm_insufficient_balance' },
  { text: /account (?<account>[A-Z2-7]{58}) balance \d+ below min/, code: 'invalid_exact_avm_insufficient_balance' },
  { text: /underflow on subtracting/, code: 'invalid_exact_avm_insufficient_balance' },
  { text: /receiver error: must optin/, code: 'invalid_exact_avm_receiver_not_opted_in' },
  { text: /asset \d+ missing from/, code: 'invalid_exact_avm_payer_not_opted_in' },
  { text: /asset \d+ frozen in|asset frozen in recipient/, code: 'invalid_exact_avm_asset_frozen' },
  { text: /should have been authorized by/, code: 'invalid_exact_avm_signer_mismatch' },
  { text: /didn't pass verification|multisig validation failed/, code: 'invalid_exact_avm_invalid_signature' },
  { text: /txgroup with .* fees is less than/, code: 'invalid_exact_avm_fee_too_low' },
];

/** Longest part of algod's text that is passed on. */
const MAX_TEXT = 200;

/**
 * The coded error for algod's refusal of a payment, from simulate or from a submission.
 * `fallback` is the code for a refusal that is not in the table.
 */
export function chainRefusal(text: string, parties: PaymentParties, fallback: X402ErrorCode): X402Error {
  const dead = /txn dead: round (?<round>\d+) outside of (?<first>\d+)--/.exec(text);
  if (dead !== null) return new X402Error(deadCode(dead), { message: brief(text) });
  for (const { text: pattern, code } of REFUSALS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const isOurFault = parties.feePayer !== undefined && match.groups?.['account'] === parties.feePayer;
    return new X402Error(isOurFault ? 'sponsor_unfunded' : code, isOurFault ? {} : { message: brief(text) });
  }
  return new X402Error(fallback, { message: brief(text) });
}

function deadCode({ groups }: RegExpExecArray): X402ErrorCode {
  const isEarly = BigInt(groups?.['round'] ?? 0) < BigInt(groups?.['first'] ?? 0);
  return isEarly ? 'invalid_exact_avm_not_yet_valid' : 'invalid_exact_avm_expired';
}

/** algod's sentence without the dumps of Go structures that it prints into it. */
function brief(text: string): string {
  return text
    .replace(/, data \{.*\}, /s, ', ')
    .replace(/transaction \{.*\} invalid : /s, 'transaction invalid: ')
    .slice(0, MAX_TEXT);
}
