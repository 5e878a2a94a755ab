import { describe, expect, it, vi } from 'vitest';
import { settlementOf } from '@avm402/client';
import { collectGarbage } from './memory.ts';
import { paidAnswers, refused, settledOn } from './paid-answers.ts';
import { asking, type Answer, type Seller } from './seller.ts';
import { type Stage, startStage } from './stage.ts';

const endless = (answer: Answer): Answer => ({ ...answer, endless: true });

/** Asks with a body that never ends, and takes any payment. */
const askingWithoutEnd = (stage: Stage): Promise<Seller> =>
  stage.sellerThat((seen, all) => (seen.payment ? stage.honest(seen, all) : endless(asking())));

/** Waits until nobody holds one of the seller's answers any more. */
const letGo = (seller: Seller): Promise<void> => vi.waitFor(() => expect(seller.busy()).toBe(0), 3_000);

// Each waits a second for its body.
describe.concurrent('a body that never ends', () => {
  it('of the 402 that is paid is let go of', async ({ onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const seller = await askingWithoutEnd(stage);
    const fetchPaid = stage.paying();
    for (let index = 0; index < 5; index++)
      expect(await (await fetchPaid(`${seller.url}/${index}`)).text()).toMatch('sunny');
    await letGo(seller);
  });

  it.for<[string, Parameters<Stage['paying']>[0], string]>([
    ['is too dear', { spend: { perPayment: '$0.009' } }, 'spend_limit_exceeded'],
    ['is declined', { onOffer: () => false }, 'offer_declined'],
  ])('of a 402 whose offer %s is let go of', async ([_why, options, code], { onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const seller = await askingWithoutEnd(stage);
    await expect(stage.paying(options)(seller.url)).rejects.toMatchObject({ code });
    await letGo(seller);
  });

  it('of a 402 that asks a request which can’t be sent again is let go of', async ({ onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const seller = await askingWithoutEnd(stage);
    const body = new Blob(['once']).stream();
    const init = { method: 'POST', body, duplex: 'half' } as const;
    await expect(stage.paying()(seller.url, init)).rejects.toMatchObject({ code: 'body_not_replayable' });
    await letGo(seller);
  });

  it.for<[string, () => Answer, number]>([
    ['502 that is not the last word', (): Answer => ({ status: 502 }), 200],
    ['redirect', (): Answer => ({ status: 307, headers: { Location: '/' } }), 200],
  ])('of a %s is let go of', async ([_what, first, status], { onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const settled = settledOn(stage);
    const seller = await stage.sellerThat(paidAnswers(() => endless(first()), settled));
    const response = await stage.paying()(seller.url);
    expect([response.status, await response.json()]).toEqual([status, { report: 'sunny' }]);
    await letGo(seller);
  });

  it('of a redirect that is not followed is let go of', async ({ onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const seller = await stage.sellerThat(
      paidAnswers(() => endless({ status: 307, headers: { Location: 'ftp://x/' } })),
    );
    await expect(stage.paying()(seller.url)).rejects.toMatchObject({ code: 'unsafe_redirect' });
    await letGo(seller);
  });

  it('of a refused payment that has expired is let go of when the node can’t be asked for the next one', async ({
    onTestFinished,
  }) => {
    const stage = await startStage(onTestFinished);
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        return endless(refused('invalid_exact_avm_expired')());
      }),
    );
    const { algod } = stage.chain;
    let asked = 0;
    // Before the payment, and about its end.
    const params = (): ReturnType<typeof algod.params> =>
      ++asked <= 2 ? algod.params() : Promise.reject(new Error('the node is gone'));
    const fetchPaid = stage.paying({ networks: { 'algorand:*': { ...algod, params } } });
    await expect(fetchPaid(seller.url)).rejects.toThrow('the node is gone');
    await letGo(seller);
  });

  it('of what was paid for is handed over with its receipt, and ends with the signal; the payment is kept', async ({
    onTestFinished,
  }) => {
    const stage = await startStage(onTestFinished);
    const settled = settledOn(stage);
    const controller = new AbortController();
    const seller = await stage.sellerThat(paidAnswers(async (payment) => endless(await settled(payment)), settled));
    const fetchPaid = stage.paying();
    const response = await fetchPaid(seller.url, { signal: controller.signal });
    expect(settlementOf(response)?.success).toBe(true);
    const body = response.text();
    controller.abort(new Error('enough'));
    await expect(body).rejects.toThrow('enough');
    await letGo(seller);
    expect(await (await fetchPaid(seller.url)).json()).toEqual({ report: 'sunny' });
    expect(seller.payments()).toHaveLength(1);
  });

  it('of what was paid for is let go of when nobody holds the response any more', async ({ onTestFinished }) => {
    const stage = await startStage(onTestFinished);
    const settled = settledOn(stage);
    const seller = await stage.sellerThat(paidAnswers(async (payment) => endless(await settled(payment))));
    expect((await stage.paying()(seller.url)).ok).toBe(true);
    await vi.waitFor(() => {
      collectGarbage();
      expect(seller.busy()).toBe(0);
    }, 10_000);
  });
});
