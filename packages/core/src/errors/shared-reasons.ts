import { final, retryable, type ErrorDescription } from './description.ts';

/**
 * Reasons why a payment by any scheme on Algorand is refused: by the chain, or by the account that would pay its fee.
 */
const reasons = {
  asset_frozen: final(402, {
    meaning: "The payer's or the receiver's holding of the asset is frozen.",
    remedy: "Pay from or to another account, or ask the asset's freeze manager.",
  }),
  expired: final(402, {
    meaning: "The payment's last valid round has passed.",
    remedy: 'Sign a new payment.',
  }),
  facilitator_transferring: final(402, {
    meaning: "The payer or the receiver is one of the facilitator's own addresses.",
    remedy: 'Pay from and to accounts that are not the sponsor.',
  }),
  fee_too_high: final(402, {
    meaning: 'The fee-paying transaction asks for more than the sponsor pays.',
    remedy: "Use the network's current minimum fee for each transaction.",
  }),
  fee_too_low: final(402, {
    meaning: "The group's fees are below what the network requires.",
    remedy: 'Fetch the suggested parameters again and rebuild the payment.',
  }),
  insufficient_balance: final(402, {
    meaning: 'The payer does not hold enough of the asset, or too little ALGO for fee and minimum balance.',
    remedy: "Fund the payer's account.",
  }),
  invalid_signature: final(402, {
    meaning: "The payment's signature is not valid for its authorizer.",
    remedy: 'Sign the transaction with the key of the payer, or of the account it is rekeyed to.',
  }),
  lease_held: final(402, {
    meaning: 'Another transaction of the same account holds the lease, until its last valid round.',
    remedy: 'Look up what holds it, or try again when its window is over.',
  }),
  not_sponsored: final(402, {
    meaning: 'The sponsor does not pay fees for this receiver, asset or amount.',
    remedy: "Take an unsponsored offer, or ask the facilitator's operator.",
  }),
  not_yet_valid: retryable(402, {
    meaning: "The payment's first valid round is still ahead.",
    remedy: 'Send it again when the network has reached that round.',
  }),
  payer_not_opted_in: final(402, {
    meaning: 'The payer has not opted in to the asset.',
    remedy: 'Opt in to the asset (a transfer of 0 to yourself) and fund the account.',
  }),
  receiver_not_opted_in: final(402, {
    meaning: "The seller's account has not opted in to the asset.",
    remedy: 'The seller has to opt in to the asset (a transfer of 0 to itself).',
  }),
  signer_mismatch: final(402, {
    meaning: "The transaction is signed by a key that may not spend from the payer's account.",
    remedy: 'Sign with the account that the payer is rekeyed to.',
  }),
  simulation_failed: final(402, {
    meaning: 'The network would not accept the payment.',
    remedy: "Read the message: it is the network's own.",
  }),
  sponsor_budget: retryable(402, {
    meaning: "The sponsor's budget for this period is spent.",
    remedy: 'Try again later, or pay the fee yourself.',
  }),
  unsigned_non_facilitator: final(402, {
    meaning: 'A transaction is unsigned although its sender is not the fee payer.',
    remedy: 'Sign every transaction of your own.',
  }),
} as const satisfies Readonly<Record<string, ErrorDescription>>;

export type SharedReason = keyof typeof reasons;

/** A scheme's own code for one of these reasons. */
export function schemeCode<Scheme extends string, Reason extends SharedReason>(scheme: Scheme, reason: Reason) {
  return `invalid_${scheme}_avm_${reason}` as const;
}

/** All of these reasons under a scheme's own codes. */
export function reasonsOf<Scheme extends string>(scheme: Scheme) {
  const entries = Object.entries(reasons).map(([reason, error]) => [`invalid_${scheme}_avm_${reason}`, error]);
  return Object.fromEntries(entries) as {
    readonly [Reason in SharedReason as `invalid_${Scheme}_avm_${Reason}`]: ErrorDescription;
  };
}
