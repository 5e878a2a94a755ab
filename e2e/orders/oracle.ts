import type { Answer } from './answers.ts';
import type { Debit } from '../debits.ts';

/** A payment that was made, and everything that anybody was told about it. */
export interface PaidOrder {
  readonly txId: string;
  readonly payer: string;
  readonly receiver: string;
  readonly assetId: bigint;
  readonly amount: bigint;
  /** The callers' answers, in the order of arrival. */
  readonly answers: readonly Answer[];
  /** Whether every persistent caller got an outcome. */
  readonly everybodyKnows: boolean;
  /** The state that the facilitators' look-up answers in the end; absent: none. */
  readonly record?: SettlementRecord;
}

/** The answer of `GET /settlements/{txid}`. */
export interface SettlementRecord {
  readonly state: string;
  readonly final: boolean;
  readonly confirmedRound?: number;
}

/** A payment with what the chain says of it. */
interface Case extends PaidOrder {
  readonly debits: readonly Debit[];
}

type Rule = (paid: Case) => string | undefined;

/**
 * Every way in which the facilitators' answers contradict the blocks or each other, a line each; empty if all is
 * well. The blocks are the truth; what is under test is what callers were told.
 */
export function findViolations(orders: readonly PaidOrder[], debits: readonly Debit[]): string[] {
  const debitsOf = new Map<string, Debit[]>();
  for (const debit of debits) debitsOf.set(debit.txId, [...(debitsOf.get(debit.txId) ?? []), debit]);
  const known = new Set(orders.map(({ txId }) => txId));
  const strangers = debits
    .filter(({ txId }) => !known.has(txId))
    .map(({ txId }) => `${txId}: nobody ordered this debit`);
  const found = orders.flatMap((order) => {
    const paid = { ...order, debits: debitsOf.get(order.txId) ?? [] };
    return RULES.flatMap((rule) => rule(paid) ?? []).map((violation) => `${order.txId}: ${violation}`);
  });
  return [...strangers, ...found];
}

const RULES: readonly Rule[] = [
  debitIsAsOrdered,
  successIsOnChain,
  oneClaimantWins,
  sameKeySameAnswer,
  failureMovedNothing,
  nobodyElseSubmitted,
  debitWasAnswered,
  everybodyGotAnOutcome,
  oneConfirmedRecord,
];

function debitIsAsOrdered({ debits, payer, receiver, assetId, amount }: Case): string | undefined {
  if (debits.length > 1) return `debited ${debits.length} times`;
  const [debit] = debits;
  if (debit === undefined) return undefined;
  const isAsOrdered =
    debit.payer === payer && debit.receiver === receiver && debit.assetId === assetId && debit.amount === amount;
  return isAsOrdered ? undefined : 'debited otherwise than ordered';
}

function successIsOnChain({ answers, debits, txId }: Case): string | undefined {
  const successes = answers.filter(({ kind }) => kind === 'success');
  if (successes.some(({ transaction }) => transaction !== txId)) return 'a success names another transaction';
  return successes.length > 0 && debits.length === 0 ? 'answered as success, but not on chain' : undefined;
}

/** A key may be told its success any number of times; without a key each success is a claimant's of its own. */
function oneClaimantWins({ answers }: Case): string | undefined {
  const successes = answers.filter(({ kind }) => kind === 'success');
  const keys = new Set(successes.flatMap(({ key }) => key ?? []));
  const claimants = keys.size + successes.filter(({ key }) => key === undefined).length;
  return claimants > 1 ? `${claimants} claimants were told success` : undefined;
}

function sameKeySameAnswer({ answers }: Case): string | undefined {
  const won = answers.find(({ kind, key }) => kind === 'success' && key !== undefined);
  if (won === undefined) return undefined;
  const changed = answers.find(
    ({ kind, key, sentAt }) => key === won.key && sentAt > won.answeredAt && kind !== 'success' && kind !== 'unknown',
  );
  return changed && `its key was told success, then ${changed.kind} ${changed.reason}`;
}

function failureMovedNothing({ answers, debits }: Case): string | undefined {
  const failed = answers.find(({ kind }) => kind === 'failed');
  return failed && debits.length > 0 ? `answered as ${failed.reason}, but on chain` : undefined;
}

/** Only the facilitators submit here, so a payment on chain is always theirs. */
function nobodyElseSubmitted({ answers }: Case): string | undefined {
  const refused = answers.some(({ reason }) => reason === 'payment_already_on_chain');
  return refused ? "the facilitators' own submission was taken for somebody else's" : undefined;
}

/** A success that went to a caller without key may be lost on its way: it is handed out once. */
function debitWasAnswered({ answers, debits }: Case): string | undefined {
  const mayBeLost = answers.some(({ key }) => key === undefined);
  const succeeded = answers.some(({ kind }) => kind === 'success');
  return debits.length > 0 && !succeeded && !mayBeLost ? 'on chain, but nobody was told success' : undefined;
}

function everybodyGotAnOutcome({ everybodyKnows, answers }: Case): string | undefined {
  return everybodyKnows ? undefined : `a persistent caller got no outcome: ${answers.at(-1)?.reason}`;
}

function oneConfirmedRecord({ record, debits }: Case): string | undefined {
  const [debit] = debits;
  if (record !== undefined && !record.final) return `the record stays ${record.state}`;
  if (debit === undefined) return record?.state === 'confirmed' ? 'recorded as confirmed, but not on chain' : undefined;
  if (record === undefined) return 'on chain, but not recorded';
  if (record.state !== 'confirmed') return `on chain, but recorded as ${record.state}`;
  return BigInt(record.confirmedRound ?? 0) === debit.round ? undefined : 'recorded in another round';
}
