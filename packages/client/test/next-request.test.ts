import { describe, expect, it } from 'vitest';
import { settlementOf } from '@avm402/client';
import { paidAnswers, refused, settledOn } from './paid-answers.ts';
import { asking, receipt } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();
const settled = settledOn(stage);

describe('the next identical request', () => {
  it('sends the payment of the one that was left without an answer', async () => {
    let isUp = false;
    const seller = await stage.sellerThat(async (seen) => {
      if (!seen.payment) return asking();
      return isUp ? settled(seen.payment) : { cut: 'before' };
    });
    const fetchPaid = stage.paying({ recoverMs: 100 });
    const ask = (): Promise<Response> => fetchPaid(seller.url, { method: 'POST', body: 'the same' });
    await expect(ask()).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
    isUp = true;
    expect((await ask()).status).toBe(200);
    expect(seller.payments()).toHaveLength(1);
    // It was answered: the next one is a new request.
    await ask();
    expect(seller.payments()).toHaveLength(2);
  });

  it.each([
    { later: 599_999, isKept: true, status: 200, payments: 1 },
    { later: 599_999, isKept: false, status: 402, payments: 1 },
    { later: 600_000, isKept: true, status: 200, payments: 1 },
    { later: 600_000, isKept: false, status: 200, payments: 2 },
  ])(
    'sends a settled payment again, and pays anew after ten minutes if the answer was not kept: %o',
    async (example) => {
      const { later, isKept, status, payments } = example;
      let now = Date.now();
      const seller = await stage.sellerThat(
        paidAnswers(
          async (payment) => {
            await settled(payment);
            return { cut: 'before' };
          },
          isKept ? settled : refused('duplicate_payment'),
          settled,
        ),
      );
      const { algod } = stage.chain;
      const silent = { ...algod, pendingTransaction: () => Promise.reject(new Error('away')) };
      const fetchPaid = stage.paying({ recoverMs: 10, now: () => now, networks: { 'algorand:*': silent } });
      await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
      now += later;
      Object.assign(silent, algod);
      expect((await fetchPaid(seller.url)).status).toBe(status);
      expect(seller.payments()).toHaveLength(payments);
    },
  );

  it.each([
    ['another body', { method: 'POST', body: 'another' }, ''],
    ['another method', { method: 'PUT', body: 'the same' }, ''],
    ['another query', { method: 'POST', body: 'the same' }, '/?b=2'],
  ])('with %s makes a payment of its own', async (_what, init, path) => {
    const seller = await stage.sellerThat(paidAnswers(refused('no')));
    const fetchPaid = stage.paying();
    await fetchPaid(seller.url, { method: 'POST', body: 'the same' });
    await fetchPaid(seller.url + path, init);
    expect(seller.payments()).toHaveLength(2);
  });

  it('sends the payment of a paid answer whose body broke off', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => ({ ...(await settled(payment)), cut: 'within' }), settled),
    );
    const fetchPaid = stage.paying();
    const cut = await fetchPaid(seller.url);
    expect(cut.status).toBe(200);
    await expect(cut.json()).rejects.toThrow(TypeError);
    expect(await (await fetchPaid(seller.url)).json()).toEqual({ report: 'sunny' });
    expect(seller.payments()).toHaveLength(1);
  });

  it.each([
    ['without a receipt', undefined],
    ["with somebody else's receipt", 'A'.repeat(52)],
  ])(
    'sends the payment of an answer %s whose body broke off, also when it is confirmed',
    async (_what, transaction) => {
      const seller = await stage.sellerThat(
        paidAnswers(async (payment) => {
          await stage.chain.settle(payment);
          return { cut: 'within', ...(transaction && { headers: receipt(payment, { transaction }) }) };
        }, settled),
      );
      const fetchPaid = stage.paying();
      await expect((await fetchPaid(seller.url)).json()).rejects.toThrow(TypeError);
      expect(await (await fetchPaid(seller.url)).json()).toEqual({ report: 'sunny' });
      expect(seller.payments()).toHaveLength(1);
    },
  );

  it('pays anew after an answer without a receipt, once the own node has seen that payment confirmed', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.settle(payment);
        return {};
      }),
    );
    const fetchPaid = stage.paying();
    for (let index = 0; index < 3; index++) await (await fetchPaid(seller.url)).json();
    expect(seller.payments()).toHaveLength(3);
  });

  it.each([
    [300, 2],
    [399, 2],
    [400, 1],
  ])('pays anew after a settled answer that redirects, and not after a refusal (%s)', async (status, payments) => {
    const seller = await stage.sellerThat(paidAnswers(async (payment) => ({ ...(await settled(payment)), status })));
    const fetchPaid = stage.paying();
    for (let index = 0; index < 2; index++) await (await fetchPaid(seller.url)).json();
    expect(seller.payments()).toHaveLength(payments);
  });

  it('sends a payment that was answered without a receipt again, while it is not confirmed', async () => {
    const seller = await stage.sellerThat(paidAnswers(() => ({})));
    const fetchPaid = stage.paying();
    for (let index = 0; index < 3; index++) await (await fetchPaid(seller.url)).json();
    expect(seller.payments()).toHaveLength(1);
  });

  it('sends a settled payment again when the resource failed, and pays anew after ten minutes', async () => {
    let clock = 1_000_000;
    const seller = await stage.sellerThat(
      paidAnswers(
        async (payment) => ({ ...(await settled(payment)), status: 500 }),
        () => refused('duplicate_payment')(),
      ),
    );
    const fetchPaid = stage.paying({ now: () => clock });
    const response = await fetchPaid(seller.url);
    expect([response.status, settlementOf(response)?.success]).toEqual([500, true]);
    expect((await fetchPaid(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(1);
    clock += 601_000;
    await fetchPaid(seller.url);
    expect(seller.payments()).toHaveLength(2);
  });

  it('sends the one of several payments that is left without an answer, also behind one that is settled', async () => {
    let giveUp = (): void => {};
    const answered = new Promise<void>((resolve) => (giveUp = resolve));
    const seller = await stage.sellerThat(
      paidAnswers(
        async (payment) => {
          await stage.chain.settle(payment);
          return {};
        },
        async () => {
          await answered;
          return { cut: 'before' };
        },
        settled,
      ),
    );
    const fetchPaid = stage.paying({ recoverMs: 100 });
    const asked = [fetchPaid(seller.url), fetchPaid(seller.url)];
    await (await Promise.any(asked)).json();
    giveUp();
    expect(await Promise.allSettled(asked)).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'payment_outcome_unknown' }) }),
    );
    expect(await (await fetchPaid(seller.url)).json()).toEqual({ report: 'sunny' });
    expect(seller.payments()).toHaveLength(2);
  });

  it('does not wait for one that is still under way', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying();
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetchPaid(seller.url)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(await stage.chain.confirmed()).size).toBe(10);
  });
});
