import { algorandNetworkLong } from '@avm402/core/network';
import { TESTNET } from '@avm402/algorand/networks';
import type { PaymentRequirements } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import { account, payOffer, sponsor, withPayment } from './support/payments.ts';
import { facilitator, offerAt, offerIn, openShop } from './support/shop.ts';

const LONG = algorandNetworkLong(TESTNET.genesisHash);

describe('offers', () => {
  it('are matched in another spelling of the network, whatever else of extra was dropped or added', async () => {
    const shop = await openShop();
    const required = await offerAt(`${shop.url}/report`);
    const [first] = required.accepts;
    if (first === undefined) throw new Error('no offer');
    const accepted = {
      ...first,
      network: LONG,
      maxTimeoutSeconds: 1,
      extra: { feePayer: sponsor, name: 'USDC', decimals: 6 },
    };
    expect((await fetch(`${shop.url}/report`, { headers: withPayment(payOffer(required, accepted)) })).status).toBe(
      200,
    );
    expect(shop.stub.settles()[0]?.body.paymentRequirements['network']).toBe(LONG);
  });

  it.each([
    ['scheme', { scheme: 'somebody-elses' }],
    ['amount', { amount: '9999' }],
    ['asset', { asset: '31566704' }],
    ['receiver', { payTo: account(5).address }],
    ['fee payer', { extra: { feePayer: account(5).address } }],
  ])('are not paid by another %s: 402 with a fresh offer', async (_what, change) => {
    const shop = await openShop();
    const required = await offerAt(`${shop.url}/report`);
    const [first] = required.accepts;
    if (first === undefined) throw new Error('no offer');
    const response = await fetch(`${shop.url}/report`, {
      headers: withPayment(payOffer(required, { ...first, ...change })),
    });
    expect([response.status, offerIn(response).error, shop.runs()]).toEqual([402, 'no_matching_offer', 0]);
    expect(offerIn(response).accepts).toEqual(required.accepts);
  });

  it.each([
    ['names the fee payer by its group', (first: PaymentRequirements) => first],
    ['pays the fee itself', (first: PaymentRequirements) => ({ ...first, extra: {} })],
  ])('are matched without their extra where the payment %s', async (_what, signedFor) => {
    const shop = await openShop();
    const required = await offerAt(`${shop.url}/report`);
    const [first] = required.accepts;
    if (first === undefined) throw new Error('no offer');
    const payment = payOffer(required, signedFor(first));
    const { extra: _dropped, ...accepted } = first;
    const sent = { ...payment, accepted: accepted as PaymentRequirements };
    expect((await fetch(`${shop.url}/report`, { headers: withPayment(sent) })).status).toBe(200);
    const [settled] = shop.stub.settles();
    expect(settled?.body.paymentRequirements['extra']).toMatchObject({ feePayer: sponsor });
    expect(settled?.body.paymentPayload).toMatchObject({ accepted: { extra: { feePayer: sponsor } } });
  });

  it('are paid with a fee payer that another replica of the facilitator chose', async () => {
    const other = account(6).address;
    const shop = await openShop({ stub: await facilitator({ signers: [other] }) });
    const required = await offerAt(`${shop.url}/report`);
    const [first] = required.accepts;
    if (first === undefined) throw new Error('no offer');
    const payment = payOffer(required, { ...first, extra: { feePayer: other } });
    expect((await fetch(`${shop.url}/report`, { headers: withPayment(payment) })).status).toBe(200);
    expect(shop.stub.settles()[0]?.body.paymentRequirements['extra']).toMatchObject({ feePayer: other });
  });
});
