import { describe, expect, it } from 'vitest';
import { openStockShop } from '../support/both-shops.ts';
import { settleOnce } from '../support/facilitator-stub.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt, openShop, receiptIn } from '../support/shop.ts';

const paymentId = `pay_${'0123456789abcdef'.repeat(2)}`;

describe('a settlement that succeeds, but whose answer is lost', () => {
  it('leaves a buyer of stock with 502 and nothing in its hands; ours names the TxID, and the retry gets the response', async () => {
    const stock = await openStockShop({ facilitatorTimeoutMs: 700 });
    const ours = await openShop({ settleTimeoutMs: 150 });
    const buy = async ({ url, stub }: typeof ours, id?: string) => {
      const headers = withPayment(pay(await offerAt(`${url}/report`), id === undefined ? {} : { paymentId: id }));
      stub.onSettle = (call) => {
        settleOnce(stub, call);
        return 'hang';
      };
      const first = await fetch(`${url}/report`, { headers });
      stub.onSettle = () => undefined;
      return { first, second: await fetch(`${url}/report`, { headers }) };
    };
    const atStock = await buy(stock);
    expect([atStock.first.status, receiptIn(atStock.first)]).toEqual([502, undefined]);
    expect(atStock.second.status).toBe(402);
    const atOurs = await buy(ours, paymentId);
    expect(atOurs.first.status).toBe(503);
    expect(receiptIn(atOurs.first)).toMatchObject({
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
    });
    expect([atOurs.second.status, await atOurs.second.text(), ours.runs()]).toEqual([200, '{"report":1}', 1]);
    expect(receiptIn(atOurs.second)?.transaction).toBe(receiptIn(atOurs.first)?.transaction);
  });
});
