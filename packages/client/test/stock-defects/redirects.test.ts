import { describe, expect, it } from 'vitest';
import { createPayer, reportOf, settlementOf } from '@avm402/client';
import { asking, receipt, requirements, type Seller } from '../seller.ts';
import { payer as account, useStage } from '../stage.ts';
import { stockFetch } from './stock-fetch.ts';

const stage = useStage();

/** Another origin, and a seller that sends paid requests there. */
async function leadingAstray(status = 307): Promise<{ seller: Seller; thief: Seller }> {
  const thief = await stage.sellerThat(() => ({ body: 'thank you' }));
  const seller = await stage.sellerThat(({ payment }) =>
    payment ? { status, headers: { Location: `${thief.url}/elsewhere` } } : asking(),
  );
  return { seller, thief };
}

it('stock takes the payment along to another origin', async () => {
  const { seller, thief } = await leadingAstray();
  await stockFetch(stage.chain)(seller.url);
  expect(thief.seen[0]?.headers).toHaveProperty('payment-signature');
});

describe('ours', () => {
  it.each([301, 302, 303, 307, 308])(
    'leaves the payment, and credentials, behind at a redirect to another origin (%i)',
    async (status) => {
      const { seller, thief } = await leadingAstray(status);
      const headers = { authorization: 'Bearer mine', cookie: 'a=1', 'x-mine': 'kept' };
      const response = await stage.paying()(seller.url, { headers });
      expect(await response.text()).toBe('thank you');
      expect(thief.seen[0]?.headers).toMatchObject({ 'x-mine': 'kept' });
      for (const name of ['payment-signature', 'authorization', 'cookie'])
        expect(thief.seen[0]?.headers).not.toHaveProperty(name);
      expect(reportOf(response)?.payment?.txId).toBe(seller.payments()[0]);
    },
  );

  it.each(['payment-signature', 'x-payment'])(
    'leaves a payment that the caller brings behind as well (%s)',
    async (name) => {
      const networks = { 'algorand:*': stage.chain.algod };
      const payer = createPayer({ account, networks, spend: { allowHttp: true } });
      const proof = await payer.sign({
        x402Version: 2,
        resource: { url: 'https://x.example/' },
        accepts: [requirements],
      });
      const thief = await stage.sellerThat(() => ({ body: 'thank you' }));
      const seller = await stage.sellerThat(({ path }) =>
        path === '/'
          ? { status: 302, headers: { Location: '/next' } }
          : { status: 307, headers: { Location: thief.url } },
      );
      const response = await stage.paying()(seller.url, { headers: { [name]: proof } });
      expect(await response.text()).toBe('thank you');
      expect(seller.seen.map(({ headers }) => headers[name])).toEqual([proof, proof]);
      expect(thief.seen[0]?.headers).not.toHaveProperty(name);
    },
  );

  it('never pays at the other origin for the same request', async () => {
    const thief = await stage.sellerThat(() => asking());
    const seller = await stage.sellerThat(({ payment }) =>
      payment ? { status: 302, headers: { Location: thief.url } } : asking(),
    );
    expect((await stage.paying()(seller.url)).status).toBe(402);
    expect(thief.payments()).toEqual([]);
    expect(seller.payments()).toHaveLength(1);
  });

  it('takes the payment along within its origin, method and body as fetch does', async () => {
    const seller = await stage.sellerThat(async ({ payment, path, method }) => {
      if (!payment) return asking();
      if (path === '/') return { status: 303, headers: { Location: '/done' } };
      await stage.chain.settle(payment);
      return { headers: receipt(payment), body: method };
    });
    const response = await stage.paying()(seller.url, { method: 'POST', body: 'x' });
    expect(await response.text()).toBe('GET');
    expect(settlementOf(response)?.success).toBe(true);
    expect(seller.seen.at(-1)).toMatchObject({ path: '/done', method: 'GET', body: '' });
    expect(seller.payments()).toHaveLength(1);
  });

  it('keeps method and body where the redirect does', async () => {
    const seller = await stage.sellerThat(({ payment, path, method, body }) => {
      if (!payment) return asking();
      return path === '/' ? { status: 308, headers: { Location: '/done' } } : { body: method + body };
    });
    const response = await stage.paying()(seller.url, { method: 'PUT', body: 'x' });
    expect(await response.text()).toBe('PUTx');
  });

  it('sees the receipt on the redirect itself', async () => {
    const target = await stage.sellerThat(() => ({ body: 'the file' }));
    const seller = await stage.sellerThat(async ({ payment }) => {
      if (!payment) return asking();
      await stage.chain.settle(payment);
      return { status: 302, headers: { Location: target.url, ...receipt(payment) } };
    });
    const response = await stage.paying()(seller.url);
    expect(settlementOf(response)).toMatchObject({ success: true, transaction: seller.payments()[0] });
    expect(await response.text()).toBe('the file');
  });

  it.each([
    [201, { Location: '/made' }],
    [302, {}],
  ])('follows no %i that is no redirect', async (status, headers) => {
    const seller = await stage.sellerThat(async (seen, all) => {
      const answer = await stage.honest(seen, all);
      return seen.payment ? { ...answer, status, headers: { ...answer.headers, ...headers } } : answer;
    });
    expect((await stage.paying()(seller.url)).status).toBe(status);
    expect(seller.seen).toHaveLength(2);
  });

  it('gives up on redirects without end, and keeps the payment for the next identical request', async () => {
    let isEndless = true;
    const seller = await stage.sellerThat(async (seen, all) => {
      if (!seen.payment || !isEndless) return stage.honest(seen, all);
      return { status: 307, headers: { Location: '/' } };
    });
    const fetchPaid = stage.paying();
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({
      code: 'unsafe_redirect',
      details: { transaction: expect.any(String) },
    });
    isEndless = false;
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.payments()).toHaveLength(1);
  });

  it.each(['data:text/plain,stolen', 'file:///etc/hostname', 'javascript:alert(1)'])(
    'follows no redirect to %s, as fetch does not',
    async (location) => {
      const seller = await stage.sellerThat(({ payment }) =>
        payment ? { status: 302, headers: { Location: location } } : asking(),
      );
      await expect(stage.paying()(seller.url)).rejects.toMatchObject({ code: 'unsafe_redirect' });
      expect(seller.payments()).toHaveLength(1);
    },
  );

  it('gives the payment to no other origin on the way back either', async () => {
    const thief = await stage.sellerThat(() => ({ status: 307, headers: { Location: `${seller.url}/back` } }));
    const seller = await stage.sellerThat(({ payment, path }) => {
      if (path === '/back') return { body: payment ? 'with the payment' : 'without' };
      return payment ? { status: 307, headers: { Location: thief.url } } : asking();
    });
    expect(await (await stage.paying()(seller.url)).text()).toBe('without');
    expect(thief.seen[0]?.headers).not.toHaveProperty('payment-signature');
  });

  it('pays anew at no other origin where its payment expired behind a redirect', async () => {
    const thief = await stage.sellerThat(async () => {
      await stage.chain.mine(33);
      return asking();
    });
    const seller = await stage.sellerThat(({ payment }) =>
      payment ? { status: 302, headers: { Location: thief.url } } : asking(),
    );
    await expect(stage.paying()(seller.url)).rejects.toMatchObject({ code: 'unsafe_redirect' });
    expect(thief.payments()).toEqual([]);
    expect(seller.payments()).toHaveLength(1);
  });

  it.each([
    ['manual', 307],
    ['error', 'unsafe_redirect'],
  ] as const)('honours redirect: %s', async (redirect, outcome) => {
    const { seller, thief } = await leadingAstray();
    const result = await stage
      .paying()(seller.url, { redirect })
      .then(
        ({ status }) => status,
        (error: unknown) => (error as { code: string }).code,
      );
    expect(result).toBe(outcome);
    expect(thief.seen).toEqual([]);
  });

  it('does not pay an offer that another origin makes behind a redirect, unless that origin is named', async () => {
    const other = await stage.sellerThat(stage.honest);
    const seller = await stage.sellerThat(() => ({ status: 302, headers: { Location: `${other.url}/x` } }));
    await expect(stage.paying()(seller.url)).rejects.toMatchObject({
      code: 'unsafe_redirect',
      message: expect.stringContaining(other.url),
    });
    expect(other.payments()).toEqual([]);
    const naming = stage.paying({ spend: { origins: [other.url] } });
    expect((await naming(seller.url)).status).toBe(200);
    expect(other.payments()).toHaveLength(1);
    expect(seller.payments()).toEqual([]);
  });

  it('pays behind a redirect within the origin at the final URL', async () => {
    const seller = await stage.sellerThat((seen, all) =>
      seen.path === '/' ? { status: 302, headers: { Location: '/final' } } : stage.honest(seen, all),
    );
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(200);
    expect(seller.seen.map(({ path, payment }) => `${path} ${payment ? 'paid' : 'unpaid'}`)).toEqual([
      '/ unpaid',
      '/final unpaid',
      '/final paid',
    ]);
    expect(reportOf(response)?.payment?.path).toBe('/final');
  });

  it('sends a payment again to where it was sent before, behind the redirect', async () => {
    let isFirst = true;
    const seller = await stage.sellerThat((seen, all) => {
      if (seen.path === '/') return { status: 302, headers: { Location: '/final' } };
      if (!seen.payment || !isFirst) return stage.honest(seen, all);
      isFirst = false;
      return { status: 500 };
    });
    const fetchPaid = stage.paying();
    expect((await fetchPaid(seller.url)).status).toBe(500);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.seen.at(-1)).toMatchObject({ path: '/final', payment: { txId: seller.payments()[0] } });
    expect(seller.seen).toHaveLength(4);
  });

  it('does not pay for a POST that was redirected: what was asked for in the end is not known', async () => {
    const seller = await stage.sellerThat((seen, all) =>
      seen.path === '/' ? { status: 303, headers: { Location: '/final' } } : stage.honest(seen, all),
    );
    await expect(stage.paying()(seller.url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
      code: 'unsafe_redirect',
    });
    expect(seller.payments()).toEqual([]);
  });

  it('nor again when its payment expired behind a redirect', async () => {
    const seller = await stage.sellerThat(async ({ payment, path }) => {
      if (path === '/final') return asking([{}], { error: 'invalid_exact_avm_expired' });
      if (!payment) return asking();
      await stage.chain.mine(33);
      return { status: 303, headers: { Location: '/final' } };
    });
    await expect(stage.paying()(seller.url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
      code: 'unsafe_redirect',
    });
    expect(seller.payments()).toHaveLength(1);
  });
});
