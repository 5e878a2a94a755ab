import { isAlgorandError } from './errors.ts';

/** Why algod refused a transaction or a group, or could not find what it was asked for. */
type Reason =
  /** The transaction is already in a block, or in this node's pool. */
  | { readonly kind: 'already_in_ledger' }
  /**
   * The lease is held by another transaction of the sender, in a block or in this node's pool. In a block it may be
   * this very transaction.
   */
  | { readonly kind: 'lease_held' }
  /** `round` is the round after the node's latest. */
  | {
      readonly kind: 'outside_window';
      readonly round: bigint;
      readonly firstValid: bigint;
      readonly lastValid: bigint;
    }
  /** The account has too little Algo or too little of an asset, or would fall below its minimum balance. */
  | { readonly kind: 'insufficient_balance'; readonly account?: string }
  /** The account is rekeyed to another key than the one that has signed the transaction `txId`. */
  | { readonly kind: 'wrong_authorizer'; readonly txId?: string }
  | {
      readonly kind: 'receiver_not_opted_in' | 'not_opted_in' | 'asset_frozen' | 'invalid_signature' | 'fee_too_low';
    }
  /**
   * The node takes no such transaction now: its pool is full, not ready or being closed, or it is a follower, or so
   * many wait that it asks a higher fee of every transaction. This says nothing about the transaction.
   */
  | { readonly kind: 'node_takes_none' }
  /** The node has put the group into its pool, but can't pass it on to its network. */
  | { readonly kind: 'not_passed_on' }
  /** A transaction, an asset or a holding that the node does not have. */
  | { readonly kind: 'not_found' }
  | { readonly kind: 'other' };

/** A refusal by algod, with its text. */
export type AlgodRefusal = Reason & { readonly text: string };

type Groups = Readonly<Record<string, string>>;

/** algod's texts (v4, v5), each matched anywhere in a message unless anchored. The first match decides. */
const TEXTS: readonly { readonly text: RegExp; readonly reason: (groups: Groups) => Reason }[] = [
  {
    text: /txn dead: round (?<round>\d+) outside of (?<first>\d+)--(?<last>\d+)/,
    reason: ({ round = 0, first = 0, last = 0 }) => ({
      kind: 'outside_window',
      round: BigInt(round),
      firstValid: BigInt(first),
      lastValid: BigInt(last),
    }),
  },
  { text: /already in ledger/, reason: () => ({ kind: 'already_in_ledger' }) },
  { text: /using an overlapping lease/, reason: () => ({ kind: 'lease_held' }) },
  { text: /overspend \(account (?<account>[A-Z2-7]{58})/, reason: insufficient },
  { text: /account (?<account>[A-Z2-7]{58}) balance \d+ below min/, reason: insufficient },
  { text: /underflow on subtracting/, reason: insufficient },
  { text: /receiver error: must optin/, reason: () => ({ kind: 'receiver_not_opted_in' }) },
  { text: /asset \d+ missing from/, reason: () => ({ kind: 'not_opted_in' }) },
  { text: /asset \d+ frozen in|asset frozen in recipient/, reason: () => ({ kind: 'asset_frozen' }) },
  {
    text: /(?:transaction (?<txId>[A-Z2-7]{52}): )?should have been authorized by/,
    reason: ({ txId }) => ({ kind: 'wrong_authorizer', ...(txId !== undefined && { txId }) }),
  },
  { text: /didn't pass verification|multisig validation failed/, reason: () => ({ kind: 'invalid_signature' }) },
  { text: /txgroup with .* fees is less than/, reason: () => ({ kind: 'fee_too_low' }) },
  {
    text: /checkPendingQueueSize|no pending block evaluator|pool is shutting down|in follower mode|fee \d+ below threshold/,
    reason: () => ({ kind: 'node_takes_none' }),
  },
  { text: /^broadcast queue full/, reason: () => ({ kind: 'not_passed_on' }) },
  {
    text: /^could not find the transaction|^account asset info not found|^asset does not exist$/,
    reason: () => ({ kind: 'not_found' }),
  },
];

/**
 * Reads algod's text: the `reason` of a refused request, or the `failureMessage` of a simulation. No other code depends
 * on algod's wording.
 *
 * @example
 * ```ts
 * import { parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
 *
 * const refusal = parseAlgodRefusal('TransactionPool.Remember: txn dead: round 12 outside of 13--110');
 * if (refusal.kind === 'outside_window') console.log(refusal.firstValid - refusal.round); // 1n
 * ```
 */
export function parseAlgodRefusal(text: string): AlgodRefusal {
  for (const { text: pattern, reason } of TEXTS) {
    const match = pattern.exec(text);
    if (match !== null) return { ...reason(match.groups ?? {}), text };
  }
  return { kind: 'other', text };
}

/**
 * The refusal in an error of an algod client; `undefined` for any other error. Only the given status counts: 400 judges
 * what was sent; 404 says that something does not exist, or comes from a proxy in front of the node.
 */
export function algodRefusal(error: unknown, status: 400 | 404 = 400): AlgodRefusal | undefined {
  if (!isAlgorandError(error, 'algod_refused') || error.status !== status) return undefined;
  return parseAlgodRefusal(error.reason ?? '');
}

function insufficient({ account }: Groups): Reason {
  return { kind: 'insufficient_balance', ...(account !== undefined && { account }) };
}
