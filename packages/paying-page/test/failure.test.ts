import type { SentPayment } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { expect, it } from 'vitest';
import { failureOf, refusalOf } from '../src/page/failure.ts';

const settled = { success: true, transaction: '', network: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe' } as const;

it('says that nothing was paid only if no payment was sent', () => {
  const declined = new X402Error('offer_declined');
  expect(failureOf(declined, false)).toMatchObject({
    next: 'reload',
    message: expect.stringMatching(/Nothing was paid/),
  });
  expect(failureOf(declined, true)).toMatchObject({ next: 'reload', message: expect.not.stringMatching(/was paid/) });
});

it('warns of another wallet while a refused payment may still settle, and only then', () => {
  const payment = { txId: 'TX', lastValid: 9n } as SentPayment;
  const remedy = (state: 'open' | 'expired') =>
    refusalOf(new Response('', { status: 402 }), undefined, { payment, outcome: { state } }).remedy;
  expect(remedy('open')).toMatch(/until round 9; with another wallet you could pay twice\.$/);
  expect(remedy('expired')).not.toMatch(/wallet/);
});

it('names the transaction of a payment that settled without its content, where there is one', () => {
  const answer = new Response('', { status: 500 });
  const { message } = refusalOf(answer, { ...settled, transaction: 'TX' });
  expect(message).toBe('The payment settled, but the seller answered 500. Transaction TX.');
  expect(refusalOf(answer, settled).message).toBe('The payment settled, but the seller answered 500.');
});

it('says that asking again pays once more where a channel was charged for an answer that was not kept', () => {
  const charged = { ...settled, extra: { chargedAmount: '10000' } };
  const { remedy, next } = refusalOf(new Response('', { status: 402 }), charged);
  expect([remedy, next]).toEqual(['The seller has not kept its answer. Asking again pays once more.', 'again']);
});
