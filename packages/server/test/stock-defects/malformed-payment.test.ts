import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay } from '../support/payments.ts';
import { offerAt, offerIn } from '../support/shop.ts';

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('a malformed payment', () => {
  it('is answered 402 by stock, as if none had been sent; by ours 400, and 402 where it can be read and is refused, and why', async () => {
    const { ours, stock } = await openBoth();
    const good = pay(await offerAt(`${ours.url}/report`));
    const unread: readonly [string, string][] = [
      ['not base64 at all', 'invalid_payment_header'],
      [Buffer.from('{"x402Version":').toString('base64'), 'invalid_payment_header'],
      [base64(null), 'invalid_payment_payload'],
      [base64(7), 'invalid_payment_payload'],
      [base64({ x402Version: 2 }), 'invalid_payment_payload'],
      [base64({ ...good, accepted: { ...good.accepted, amount: '-1' } }), 'invalid_payment_payload'],
    ];
    const refused: readonly [string, string][] = [
      [base64({ ...good, payload: {} }), 'invalid_exact_avm_payload'],
      [base64({ ...good, payload: { ...good.payload, paymentIndex: 7 } }), 'invalid_exact_avm_payment_index'],
      [
        base64({ ...good, payload: { paymentGroup: ['AAAA'], paymentIndex: 0 } }),
        'invalid_exact_avm_invalid_transaction',
      ],
    ];
    for (const [header, reason] of unread) {
      const answer = await fetch(`${ours.url}/report`, { headers: { 'PAYMENT-SIGNATURE': header } });
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: reason }]);
    }
    for (const [header, reason] of refused) {
      const answer = await fetch(`${ours.url}/report`, { headers: { 'PAYMENT-SIGNATURE': header } });
      expect([answer.status, offerIn(answer).error]).toEqual([402, reason]);
    }
    expect(ours.stub.calls).toHaveLength(0);
    for (const [header] of unread.slice(0, 5)) {
      const answer = await fetch(`${stock.url}/report`, { headers: { 'PAYMENT-SIGNATURE': header } });
      expect(answer.status).toBe(402);
      expect(['Payment required', 'No matching payment requirements']).toContain(
        offerIn(answer).error?.replace(/^Unsupported.*/, 'Payment required'),
      );
    }
    const unchecked = { ...pay(await offerAt(`${stock.url}/report`)), payload: { anything: 'at all' } };
    await fetch(`${stock.url}/report`, { headers: { 'PAYMENT-SIGNATURE': base64(unchecked) } });
    expect(stock.stub.verifies()).toHaveLength(1);
    expect(ours.runs()).toBe(0);
  });
});
