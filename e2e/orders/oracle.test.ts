import { describe, expect, it } from 'vitest';
import type { Answer, AnswerKind } from './answers.ts';
import type { Debit } from '../debits.ts';
import { findViolations, type PaidOrder } from './oracle.ts';

const debit: Debit = { txId: 'TX', round: 7n, payer: 'P', receiver: 'R', assetId: 1n, amount: 5n };
const confirmed = { state: 'confirmed', final: true, confirmedRound: 7 };

function answer(kind: AnswerKind, key?: string, at = 0): Answer {
  const reason = kind === 'success' ? '' : `because of ${kind}`;
  return { kind, reason, transaction: 'TX', sentAt: at, answeredAt: at + 1, ...(key !== undefined && { key }) };
}

function order(answers: readonly Answer[], others: Partial<PaidOrder> = {}): PaidOrder {
  const { round: _, ...terms } = debit;
  return { ...terms, answers, everybodyKnows: true, record: confirmed, ...others };
}

const expired = { record: { state: 'expired', final: true } };
const sound: [string, PaidOrder, Debit[]][] = [
  ['a success on chain', order([answer('success', 'k')]), [debit]],
  ['the same success for the same key', order([answer('success', 'k'), answer('success', 'k', 5)]), [debit]],
  ['a duplicate beside a success', order([answer('success', 'k'), answer('duplicate', 'l')]), [debit]],
  ['a success that was lost on its way to a caller without key', order([answer('unknown')]), [debit]],
  ['a rejection before a success', order([answer('rejected', 'k'), answer('success', 'k', 5)]), [debit]],
  ['a failure without debit', order([answer('failed', 'k')], expired), []],
];

const broken: [string, PaidOrder, Debit[], violation: string][] = [
  ['a debit that nobody ordered', order([answer('success', 'k')]), [debit, { ...debit, txId: 'XX' }], 'nobody ordered'],
  ['two debits', order([answer('success', 'k')]), [debit, debit], 'debited 2 times'],
  ['a wrong amount', order([answer('success', 'k')]), [{ ...debit, amount: 6n }], 'otherwise than ordered'],
  ['a wrong receiver', order([answer('success', 'k')]), [{ ...debit, receiver: 'Q' }], 'otherwise than ordered'],
  ['a success that is not on chain', order([answer('success', 'k')], expired), [], 'not on chain'],
  ['a success with another TxID', order([{ ...answer('success', 'k'), transaction: 'XX' }]), [debit], 'names another'],
  ['two keys with success', order([answer('success', 'k'), answer('success', 'l')]), [debit], '2 claimants'],
  ['two successes without key', order([answer('success'), answer('success')]), [debit], '2 claimants'],
  ['a success with and one without key', order([answer('success', 'k'), answer('success')]), [debit], '2 claimants'],
  ['a success taken back', order([answer('success', 'k'), answer('duplicate', 'k', 5)]), [debit], 'then duplicate'],
  ['a final failure on chain', order([answer('success', 'k'), answer('failed', 'l')]), [debit], 'but on chain'],
  ['a debit without success', order([answer('duplicate', 'k')]), [debit], 'nobody was told success'],
  ['a caller without outcome', order([answer('success', 'k')], { everybodyKnows: false }), [debit], 'no outcome'],
  ['a debit recorded as expired', order([answer('success', 'k')], expired), [debit], 'recorded as expired'],
  ['a confirmed record without debit', order([answer('failed', 'k')]), [], 'recorded as confirmed'],
  [
    'a record that stays open',
    order([answer('success', 'k')], { record: { state: 'submitted', final: false } }),
    [debit],
    'stays submitted',
  ],
  [
    'a record of another round',
    order([answer('success', 'k')], { record: { ...confirmed, confirmedRound: 8 } }),
    [debit],
    'another round',
  ],
  [
    'a submission of ours taken for a stranger’s',
    order([{ ...answer('failed', 'k'), reason: 'payment_already_on_chain' }], expired),
    [],
    "somebody else's",
  ],
];

describe('the oracle', () => {
  it.each(sound)('has nothing against %s', (_, paid, debits) => {
    expect(findViolations([paid], debits)).toEqual([]);
  });

  it.each(broken)('sees %s', (_, paid, debits, violation) => {
    expect(findViolations([paid], debits).join('\n')).toContain(violation);
  });

  it('sees a debit that left no record', () => {
    const { record: _, ...paid } = order([answer('success', 'k')]);
    expect(findViolations([paid], [debit])).toEqual(['TX: on chain, but not recorded']);
  });
});
