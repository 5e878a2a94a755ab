import { describe, expect, it } from 'vitest';
import { PaymentBook } from '../src/payments/payment-book.ts';
import type { RecordedSpan } from '../src/payments/recorded-span.ts';
import { standingOf } from '../src/payments/standing.ts';

let spans = 0;
function span(
  traceId: string,
  from: number,
  facts: RecordedSpan['facts'],
  rest: Partial<RecordedSpan> = {},
): RecordedSpan {
  const id = String(spans++);
  return { traceId, id, name: 'x402.serve', from, to: from + 5, facts, events: [], hasFailed: false, ...rest };
}

const weather = { 'http.request.method': 'GET', 'url.path': '/weather' };
const asked = { ...weather, 'x402.outcome': 'payment_required', 'http.response.status_code': 402 };
const paid = { ...weather, 'x402.outcome': 'settled', 'http.response.status_code': 200, 'x402.payer': 'PAYER' };

function rows(...given: readonly RecordedSpan[]): [string, string][] {
  const book = new PaymentBook();
  book.add(given);
  return book.summaries().map(({ traceId, standing }) => [traceId, standing]);
}

describe('the list of payments', () => {
  it('has one row for a request that got a 402 and the one that paid, whoever reported them', () => {
    expect(rows(span('a', 0, asked), span('b', 900, paid))).toEqual([['b', 'paid']]);
    expect(rows(span('a', 0, asked), span('a', 900, paid))).toHaveLength(1);
  });

  it('keeps requests that nobody paid for, each payment taking the last one before it', () => {
    const other = { ...asked, 'url.path': '/map' };
    expect(rows(span('a', 0, asked), span('b', 10, asked), span('c', 20, other), span('d', 900, paid))).toEqual([
      ['d', 'paid'],
      ['c', 'asked'],
      ['a', 'asked'],
    ]);
    expect(rows(span('a', 0, asked), span('b', 60_000, paid))).toHaveLength(2);
    expect(rows(span('a', 0, asked), span('b', 10, asked))).toHaveLength(2);
  });

  it('shows what was charged, by the receipt of a channel or of upto', () => {
    const receiptOf = (message: object): RecordedSpan['events'] => [
      { name: 'x402.message', at: 1, facts: { 'x402.payment_response': JSON.stringify(message) } },
    ];
    const charged = (message: object): string | undefined => {
      const book = new PaymentBook();
      book.add([span('a', 0, { ...paid, 'x402.amount': '10000' }, { events: receiptOf(message) })]);
      return book.summaryOf('a').charged;
    };
    expect(charged({ success: true, amount: '500' })).toBe('500');
    expect(charged({ success: true, amount: '0', extra: { chargedAmount: '300' } })).toBe('300');
    expect(charged({ success: true })).toBeUndefined();
    expect(charged({ amount: 'a lot' })).toBeUndefined();
  });

  it('names a payment of which only the facilitator tells by what was done', () => {
    const book = new PaymentBook();
    book.add([span('a', 0, { 'x402.outcome': 'confirmed' }, { name: 'x402.facilitator.settle' })]);
    expect(book.summaryOf('a')).toMatchObject({ asked: 'Settlement for a seller', standing: 'paid' });
  });

  it('names a buyer’s wish to close a channel, which buys nothing, and its transaction', () => {
    const asks = { payload: { type: 'refund' }, accepted: { amount: '10000' } };
    const says = { success: true, transaction: 'CLOSE', extra: { chargedAmount: '0' } };
    const facts = { ...weather, 'http.response.status_code': 200, 'x402.amount': '10000' };
    const events = [
      { name: 'x402.message', at: 1, facts: { 'x402.payment_signature': JSON.stringify(asks) } },
      { name: 'x402.message', at: 2, facts: { 'x402.payment_response': JSON.stringify(says) } },
    ];
    const book = new PaymentBook();
    book.add([span('a', 0, facts, { events })]);
    const summary = book.summaryOf('a');
    expect(summary).toMatchObject({
      asked: 'Close the channel of GET /weather',
      standing: 'closed',
      transaction: 'CLOSE',
    });
    expect([summary.amount, summary.charged]).toEqual([undefined, undefined]);
  });

  it('has no row for a check of which nothing else is told, and forgets no payment for many of them', () => {
    const check = (traceId: string, from: number, outcome = 'valid'): RecordedSpan =>
      span(traceId, from, { 'x402.outcome': outcome }, { name: 'x402.facilitator.verify' });
    const book = new PaymentBook();
    book.add([span('a', 0, paid)]);
    for (let sweep = 1; sweep <= 600; sweep++) book.add([check(`sweep-${sweep}`, sweep)]);
    expect(book.summaries().map(({ traceId }) => traceId)).toEqual(['a']);
    expect(book.spansOf('sweep-600')).toHaveLength(1);

    book.add([span('sweep-600', 590, paid)]);
    expect(rows(...book.spansOf('sweep-600'))).toEqual([['sweep-600', 'paid']]);
    expect(book.summaries().map(({ traceId }) => traceId)).toEqual(['sweep-600', 'a']);
    expect(rows(check('b', 0, 'invalid_exact_avm_expired'))).toEqual([['b', 'refused']]);
  });

  it('has one row for a transaction that a facilitator settles outside the buyer’s request', () => {
    const settled = (traceId: string, transaction: string): RecordedSpan =>
      span(
        traceId,
        10,
        { 'x402.outcome': 'settled', 'x402.transaction': transaction },
        { name: 'x402.facilitator.settle' },
      );
    const close = span('a', 0, { ...paid, 'x402.transaction': 'CLOSE' });
    expect(rows(close, settled('b', 'CLOSE'), settled('c', 'SWEPT'))).toEqual([
      ['c', 'paid'],
      ['a', 'paid'],
    ]);
  });

  it('tells on a payment’s page also what a facilitator did for it in a trace of its own', () => {
    const settled = { 'x402.outcome': 'settled', 'x402.transaction': 'CLOSE' };
    const book = new PaymentBook();
    book.add([
      span('b', 10, settled, { name: 'x402.facilitator.settle' }),
      span('a', 0, { ...paid, 'x402.transaction': 'CLOSE' }),
      span('c', 20, { ...paid, 'x402.transaction': 'ANOTHER' }),
    ]);
    expect(book.storyOf('a').map(({ name }) => name)).toEqual(['x402.serve', 'x402.facilitator.settle']);
    expect(book.storyOf('c')).toHaveLength(1);
  });

  it('shows no price of a channel’s close, which moves what the channel was charged', () => {
    const amount = (scheme: string): string | undefined => {
      const book = new PaymentBook();
      const facts = { 'x402.outcome': 'settled', 'x402.amount': '10000', 'x402.scheme': scheme };
      book.add([span('a', 0, facts, { name: 'x402.facilitator.settle' })]);
      return book.summaryOf('a').amount;
    };
    expect(['exact', 'batch-settlement', 'upto'].map(amount)).toEqual(['10000', undefined, undefined]);
  });
});

it.each([
  ['settled', 200, 'paid'],
  ['confirmed', undefined, 'paid'],
  ['payment_required', 402, 'asked'],
  ['duplicate_payment', 402, 'refused'],
  ['invalid_exact_avm_expired', undefined, 'refused'],
  ['settlement_pending', 503, 'open'],
  ['facilitator_unreachable', 503, 'failed'],
  ['handler', 500, 'failed'],
  [undefined, undefined, 'open'],
] as const)('the outcome %s with status %s is shown as %s', (outcome, status, standing) => {
  expect(standingOf(outcome, status)).toBe(standing);
});
