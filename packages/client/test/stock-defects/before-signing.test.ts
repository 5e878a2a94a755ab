import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { ExactAvmClient, type TransactionWallet } from '@avm402/avm/exact/client';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { accounts } from '../chain.ts';
import { asking, STRANGE_HEADER } from '../seller.ts';
import { useStage } from '../stage.ts';
import { walletOf } from '../wallet.ts';

const stage = useStage();
const account = parseAccount(accounts.payer.privateKey);

/** A wallet that counts how often it is asked. */
function countingWallet(): { wallet: TransactionWallet; asked: () => number } {
  let asked = 0;
  const willing = walletOf(account);
  const wallet: TransactionWallet = {
    ...willing,
    signTransactions: (...parameters) => {
      asked++;
      return willing.signTransactions(...parameters);
    },
  };
  return { wallet, asked: () => asked };
}

describe('a request that carries a payment already', () => {
  it('stock signs another one, and then refuses to send it', async () => {
    const { wallet, asked } = countingWallet();
    const seller = await stage.sellerThat(() => asking());
    const scheme = new ExactAvmClient({ account: wallet, algod: () => stage.chain.algod });
    const stock = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
    const headers = { 'PAYMENT-SIGNATURE': STRANGE_HEADER };
    await expect(stock(seller.url, { headers })).rejects.toThrow('already attempted');
    expect(asked()).toBe(1);
  });

  it.each(['PAYMENT-SIGNATURE', 'X-PAYMENT'])('ours leaves it alone and signs nothing (%s)', async (name) => {
    const { wallet, asked } = countingWallet();
    const seller = await stage.sellerThat(() => asking());
    const fetchPaid = createPayingFetch({ account: wallet, networks: { 'algorand:*': stage.chain.algod } });
    const response = await fetchPaid(seller.url, { method: 'POST', body: 'x', headers: { [name]: STRANGE_HEADER } });
    expect(response.status).toBe(402);
    expect(asked()).toBe(0);
    expect(seller.seen).toMatchObject([{ method: 'POST', body: 'x' }]);
  });
});

describe('request bodies', () => {
  const bytes = new TextEncoder().encode('the body');
  const form = new FormData();
  form.set('field', 'the body');
  it.each<[string, () => { input?: Request; init?: RequestInit }]>([
    ['a string', () => ({ init: { body: 'the body' } })],
    ['bytes', () => ({ init: { body: bytes } })],
    ['an ArrayBuffer', () => ({ init: { body: bytes.buffer } })],
    ['a Blob', () => ({ init: { body: new Blob([bytes]) } })],
    ['URLSearchParams', () => ({ init: { body: new URLSearchParams({ a: 'the body' }) } })],
    ['FormData', () => ({ init: { body: form } })],
    ['a Request', () => ({ input: new Request('http://replaced.example', { method: 'POST', body: 'the body' }) })],
  ])('%s is sent twice, the same', async (_what, make) => {
    const seller = await stage.sellerThat(stage.honest);
    const { input, init } = make();
    const response = input
      ? await stage.paying()(new Request(seller.url, input), init)
      : await stage.paying()(seller.url, { method: 'POST', ...init });
    expect(settlementOf(response)?.success).toBe(true);
    const [first, second] = seller.seen;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['content-type']).toBe(first?.headers['content-type']);
    expect(decodeURIComponent((first?.body ?? '').replaceAll('+', ' '))).toContain('the body');
  });

  const stream = (): ReadableStream => new Blob([bytes]).stream();

  it('a stream goes through where nothing is to be paid', async () => {
    const seller = await stage.sellerThat(({ body }) => ({ body }));
    const response = await stage.paying()(seller.url, {
      method: 'POST',
      body: stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await response.text()).toBe('the body');
  });

  it('a stream is refused before anything is paid', async () => {
    const { wallet, asked } = countingWallet();
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = createPayingFetch({ account: wallet, networks: { 'algorand:*': stage.chain.algod } });
    const init = { method: 'POST', body: stream(), duplex: 'half' } as RequestInit;
    await expect(fetchPaid(seller.url, init)).rejects.toMatchObject({ code: 'body_not_replayable' });
    expect(asked()).toBe(0);
  });
});
