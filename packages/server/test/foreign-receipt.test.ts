import { describe, expect, it } from 'vitest';
import { ALGORAND_MAINNET } from '@avm402/core/network';
import { settleOnce, type StubCall } from './support/facilitator-stub.ts';
import { account, merchant, pay, withPayment } from './support/payments.ts';
import { answerInTheEnd, offerAt, openShop, receiptIn } from './support/shop.ts';

const OTHER_TRANSACTION = 'A'.repeat(52);

/** Buys from a shop whose facilitator answers settle with `change` in place of what is true. */
async function buy(change: Record<string, unknown>, isSuccess = true) {
  const shop = await openShop({ settleTimeoutMs: 150 });
  const url = `${shop.url}/report`;
  const answer = (call: StubCall) => ({
    body: {
      success: isSuccess,
      ...(isSuccess ? {} : { errorReason: 'settlement_rejected' }),
      transaction: call.txId,
      network: call.body.paymentRequirements['network'],
      payer: account(3).address,
      ...change,
    },
  });
  shop.stub.onSettle = answer;
  const headers = withPayment(pay(await offerAt(url), { paymentId: `pay_${'7'.repeat(32)}` }));
  const response = await fetch(url, { headers });
  return { shop, url, headers, response };
}

describe('a receipt of settle', () => {
  it.each([
    ['another transaction', { transaction: OTHER_TRANSACTION }],
    ['another network', { network: ALGORAND_MAINNET }],
    ['another payer', { payer: merchant }],
  ])('that names %s is not believed: the outcome is unknown, and asked for again', async (_what, change) => {
    for (const isSuccess of [true, false]) {
      const { shop, url, headers, response } = await buy(change, isSuccess);
      expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
      expect(receiptIn(response)?.transaction).toBe(shop.stub.settles()[0]?.txId);
      shop.stub.onSettle = (call) => settleOnce(shop.stub, call);
      const again = await answerInTheEnd(url, { headers });
      expect([again.status, shop.runs()]).toEqual([200, 1]);
    }
  });

  it('that names no transaction, as one of a charge of 0 may, is not believed', async () => {
    const { response } = await buy({ transaction: '', amount: '0' });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
  });

  it('may leave out the payer, and a refusal the transaction and the network, too', async () => {
    const taken = await buy({ payer: undefined });
    expect((await answerInTheEnd(taken.url, { headers: taken.headers })).status).toBe(200);
    const refused = await buy({ transaction: '', network: '', payer: '' }, false);
    expect((await answerInTheEnd(refused.url, { headers: refused.headers })).status).toBe(402);
  });
});

describe('the answer about a settlement', () => {
  it('that names another transaction tells nothing of this one', async () => {
    const shop = await openShop({ settleTimeoutMs: 100 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url)));
    shop.stub.onSettle = () => 'cut';
    shop.stub.onSettlement = () => ({ body: { transaction: OTHER_TRANSACTION, state: 'confirmed', final: true } });
    for (const _time of [1, 2]) {
      const response = await fetch(url, { headers });
      expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
    }
  });
});
