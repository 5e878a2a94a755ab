import { describe, expect, it } from 'vitest';
import { type Evidence, findViolations } from './evidence.ts';

const debit = { txId: 'TX', round: 7n, payer: 'P', receiver: 'SHOP', assetId: 1n, amount: 5n };
const proof = { txId: 'TX', order: 1, header: 'h' };
const run = { order: 1, run: 'r1' };
const delivery = { ...run, asked: 1, txId: 'TX' };
const sound: Evidence = {
  proofs: [proof],
  deliveries: [delivery],
  runs: [run],
  debits: [debit],
  price: 5n,
  payTo: 'SHOP',
};

const broken: [string, Partial<Evidence>, violation: string][] = [
  ['a debit that nobody asked for', { debits: [debit, { ...debit, txId: 'XX' }] }, 'no client asked for'],
  ['a wrong amount', { debits: [{ ...debit, amount: 6n }] }, 'a debit of 6'],
  ['a wrong receiver', { debits: [{ ...debit, receiver: 'THIEF' }] }, 'to THIEF'],
  [
    'an order paid for twice',
    { debits: [debit, { ...debit, txId: 'T2' }], proofs: [proof, { ...proof, txId: 'T2' }] },
    'order 1 was paid for twice',
  ],
  [
    'an order paid for twice, with one of the payments under two headers',
    {
      debits: [debit, { ...debit, txId: 'T2' }],
      proofs: [proof, { ...proof, header: 'i' }, { ...proof, txId: 'T2', header: 'j' }],
    },
    'order 1 was paid for twice',
  ],
  ['a debit that was not served', { deliveries: [] }, 'but not served'],
  ['goods without a payment', { deliveries: [delivery, { ...run, asked: 1 }] }, 'served without a payment'],
  ['goods without a debit', { debits: [] }, 'served, but not debited'],
  ['other goods than ordered', { deliveries: [{ ...delivery, order: 2 }] }, 'paid for order 1, served 2'],
  ['goods from nowhere', { runs: [] }, 'a run that never was'],
  [
    'two runs for one payment',
    { deliveries: [delivery, { ...delivery, run: 'r2' }], runs: [run, { ...run, run: 'r2' }] },
    'served twice',
  ],
  [
    'one run for two payments',
    { deliveries: [delivery, { ...delivery, txId: 'T2' }], proofs: [proof, { ...proof, txId: 'T2' }] },
    'served twice',
  ],
  ['too many runs', { runs: [run, run, run, run] }, '4 runs for 1 payments'],
];

describe('the oracle of the shops', () => {
  it('has nothing against a payment that was served, once or with the same answer again', () => {
    expect(findViolations(sound)).toEqual([]);
    expect(findViolations({ ...sound, deliveries: [delivery, delivery] })).toEqual([]);
  });

  it('lets one of two orders go unserved that share a payment', () => {
    const shared = [proof, { ...proof, order: 2, header: 'i' }];
    expect(findViolations({ ...sound, proofs: shared, runs: [run, { order: 2, run: 'r2' }] })).toEqual([]);
  });

  it.each(broken)('sees %s', (_, change, violation) => {
    expect(findViolations({ ...sound, ...change }).join('\n')).toContain(violation);
  });
});
