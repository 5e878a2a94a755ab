import { describe, expect, it } from 'vitest';
import { reportOf, settlementOf } from '@avm402/client';
import { asking, type Answer } from '../seller.ts';
import { useStage } from '../stage.ts';
import { stockFetch } from './stock-fetch.ts';

const stage = useStage();

const foreign: [string, Answer][] = [
  [
    'of another payment system',
    { status: 402, headers: { 'WWW-Authenticate': 'L402 macaroon="x"' }, body: 'pay elsewhere' },
  ],
  ['whose offer is no base64', { status: 402, headers: { 'PAYMENT-REQUIRED': 'not base64!' }, body: 'pay elsewhere' }],
  ['whose offer is no offer', { status: 402, headers: { 'PAYMENT-REQUIRED': 'eyJhIjoxfQ==' }, body: 'pay elsewhere' }],
  ['of the first version, in the body', { status: 402, body: 'pay elsewhere' }],
];

describe.each(foreign)('a 402 %s', (_what, answer) => {
  it('stock: throws, and the response is lost', async () => {
    const seller = await stage.sellerThat(() => answer);
    await expect(stockFetch(stage.chain)(seller.url)).rejects.toThrow();
  });

  it('ours: comes back untouched, and nothing is paid', async () => {
    const seller = await stage.sellerThat(() => answer);
    const response = await stage.paying()(seller.url);
    expect([response.status, await response.text()]).toEqual([402, 'pay elsewhere']);
    expect(settlementOf(response)).toBeUndefined();
    expect(seller.payments()).toEqual([]);
  });
});

it('ours says why an offer that looks like x402 was not paid', async () => {
  const seller = await stage.sellerThat(() => asking([{ amount: '0.01' }]));
  const response = await stage.paying()(seller.url);
  expect(response.status).toBe(402);
  expect(reportOf(response)?.problem).toMatchObject({
    code: 'invalid_payment_required',
    message: expect.stringContaining('amount'),
  });
});
