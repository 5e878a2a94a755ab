import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOCALNET } from '@avm402/algorand/networks';
import { createPayingFetch, parseAccount, reportOf, settlementOf } from '@avm402/client';
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@avm402/core/headers';
import { algorandNetwork } from '@avm402/core/network';
import { startDevnode, type Devnode } from '@avm402/devnode';
import { type LyingShop, startLyingShop } from './lying-shop.ts';

const network = algorandNetwork(LOCALNET.genesisHash);
let node: Devnode;
let shop: LyingShop;
beforeAll(async () => void (node = await startDevnode({ port: 0 })));
afterAll(() => node.stop());
afterEach(() => shop.stop());

/** Takes payments, settles none, and hands out the receipt of somebody else's. */
async function startThief(): Promise<void> {
  const required = {
    x402Version: 2,
    resource: { url: 'http://x.example/' },
    accepts: [
      {
        scheme: 'exact',
        network,
        asset: String(LOCALNET.usdcAssetId),
        amount: '10000',
        payTo: node.accounts.merchant.address,
        maxTimeoutSeconds: 60,
        extra: { feePayer: node.accounts.facilitator.address },
      },
    ],
  };
  const receipt = { success: true, transaction: 'SOMEBODY-ELSES', network, payer: node.accounts.payer.address };
  shop = await startLyingShop((payment) =>
    payment === undefined
      ? { status: '402 Payment Required', headers: { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) } }
      : { status: '200 OK', headers: { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(receipt) }, body: 'goods' },
  );
}

describe("a receipt for somebody else's payment", () => {
  it.each<[string, (response: Response) => Response]>([
    ['as it came', (response) => response],
    ['as a clone', (response) => response.clone()],
    ['as a clone of a clone', (response) => response.clone().clone()],
    ['as a response made of it', (response) => new Response(response.body, response)],
  ])('settles nothing on a response %s', async (_how, change) => {
    await startThief();
    const fetchPaid = createPayingFetch({
      account: parseAccount(node.accounts.payer.privateKey),
      networks: { 'algorand:*': { url: node.url, token: node.token } },
    });
    const response = change(await fetchPaid(shop.url));
    expect(response.headers.get('PAYMENT-RESPONSE')).not.toBeNull();
    expect(settlementOf(response)).toBeUndefined();
    expect(reportOf(response)?.settlement).toBeUndefined();
    expect(await response.text()).toBe('goods');
  });

  it('settles nothing on a response of any other fetch', async () => {
    await startThief();
    const response = await fetch(shop.url, { headers: { 'PAYMENT-SIGNATURE': 'bWluZQ==' } });
    expect(response.headers.get('PAYMENT-RESPONSE')).not.toBeNull();
    expect(settlementOf(response)).toBeUndefined();
  });
});
