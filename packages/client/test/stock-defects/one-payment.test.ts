import { describe, expect, it } from 'vitest';
import { reportOf } from '@avm402/client';
import { asking, receipt, type Answers } from '../seller.ts';
import { useStage } from '../stage.ts';
import { stockFetch } from './stock-fetch.ts';

const stage = useStage();

/** Settles each payment, but the first answer is lost. */
function losingTheFirstAnswer(): Answers {
  let isFirst = true;
  return async ({ payment }) => {
    if (!payment) return asking();
    await stage.chain.settle(payment);
    if (!isFirst) return { headers: receipt(payment) };
    isFirst = false;
    return { cut: 'before' };
  };
}

/** What every application does: it tries again. */
async function tryTwice(fetchPaid: (url: string) => Promise<Response>, url: string): Promise<Response> {
  return fetchPaid(url).catch(() => fetchPaid(url));
}

describe('the answer to a paid request is lost, and the application asks again', () => {
  it('stock pays twice', async () => {
    const seller = await stage.sellerThat(losingTheFirstAnswer());
    expect((await tryTwice(stockFetch(stage.chain), seller.url)).status).toBe(200);
    expect(await stage.chain.confirmed()).toHaveLength(2);
  });

  it('ours pays once', async () => {
    const seller = await stage.sellerThat(losingTheFirstAnswer());
    expect((await tryTwice(stage.paying({ recoverMs: 0 }), seller.url)).status).toBe(200);
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });
});

describe('the second request to the same route', () => {
  it('stock asks again before it pays', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stockFetch(stage.chain);
    await fetchPaid(seller.url);
    await fetchPaid(seller.url);
    expect(seller.seen).toHaveLength(4);
  });

  it('ours pays at the first try with preempt: true', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying({ preempt: true });
    for (const query of ['?a=1', '?a=2', '?a=3']) expect((await fetchPaid(seller.url + query)).status).toBe(200);
    expect(seller.seen).toHaveLength(4);
    expect(await stage.chain.confirmed()).toHaveLength(3);
    await fetchPaid(seller.url, { method: 'POST' });
    expect(seller.seen).toHaveLength(6);
  });

  it('ours asks again once the remembered offer is older than it holds', async () => {
    let clock = 1_000_000;
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying({ preempt: true, now: () => clock });
    await fetchPaid(seller.url);
    clock += 61_000;
    await fetchPaid(seller.url);
    expect(seller.seen).toHaveLength(4);
  });

  it('ours never pays a second time when the offer has changed: it hands over the refusal, and forgets the offer', async () => {
    let amount = '10000';
    const seller = await stage.sellerThat(async (seen) => {
      if (seen.payment?.payload.accepted.amount === amount) return stage.honest(seen, []);
      return asking([{ amount }]);
    });
    const fetchPaid = stage.paying({ preempt: true });
    await fetchPaid(`${seller.url}/?a=1`);
    amount = '20000';
    const refused = await fetchPaid(`${seller.url}/?a=2`);
    expect(refused.status).toBe(402);
    expect(reportOf(refused)?.payment?.txId).toBe(seller.payments()[1]);
    expect((await fetchPaid(`${seller.url}/?a=3`)).status).toBe(200);
    expect(seller.payments()).toHaveLength(3);
    expect(await stage.chain.confirmed()).toHaveLength(2);
  });

  it('ours pays the new offer for the same request once the old payment has expired', async () => {
    let amount = '10000';
    const seller = await stage.sellerThat(async (seen) => {
      if (seen.payment?.payload.accepted.amount === amount) return stage.honest(seen, []);
      return asking([{ amount }]);
    });
    const fetchPaid = stage.paying({ preempt: true });
    await fetchPaid(seller.url);
    amount = '20000';
    expect((await fetchPaid(seller.url)).status).toBe(402);
    await stage.chain.mine(33);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(await stage.chain.confirmed()).toHaveLength(2);
  });

  it('ours falls back to asking when the remembered offer is no longer within the limits', async () => {
    const seller = await stage.sellerThat((seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{ amount: all.length > 2 ? '5000' : '10000' }]),
    );
    const fetchPaid = stage.paying({ preempt: true, spend: { perHour: '$0.015' } });
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.seen.map(({ payment }) => payment?.payload.accepted.amount)).toEqual([
      undefined,
      '10000',
      undefined,
      '5000',
    ]);
  });
});
