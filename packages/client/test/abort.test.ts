import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { paidAnswers, settledOn } from './paid-answers.ts';
import { asking, type Answer } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();
const settled = settledOn(stage);

describe('an abort signal', () => {
  const abortDuring = async (step: 'ask' | 'offer' | 'answer' | 'pause'): Promise<string[]> => {
    const controller = new AbortController();
    const abort = (): void => controller.abort(new Error('enough'));
    const never = new Promise<Answer>(() => {});
    const seller = await stage.sellerThat(({ payment }) => {
      if (!payment && step === 'ask') setTimeout(abort, 20);
      if (payment && step !== 'ask') setTimeout(abort, 20);
      if (payment) return step === 'pause' ? { status: 503, headers: { 'Retry-After': '1' } } : never;
      return step === 'ask' ? never : asking();
    });
    const onOffer = (): boolean => {
      if (step === 'offer') abort();
      return true;
    };
    await expect(stage.paying({ onOffer })(seller.url, { signal: controller.signal })).rejects.toThrow('enough');
    return [...seller.payments()];
  };

  it('ends the request while it asks', async () => expect(await abortDuring('ask')).toEqual([]));
  it('ends it before the payment leaves', async () => expect(await abortDuring('offer')).toEqual([]));
  it('ends it while the paid answer is awaited', async () => expect(await abortDuring('answer')).toHaveLength(1));
  it('ends it while it waits to send again', async () => expect(await abortDuring('pause')).toHaveLength(1));

  it('while an earlier payment is asked about does not lose that payment', async () => {
    const seller = await stage.sellerThat(paidAnswers(() => ({})));
    const { algod } = stage.chain;
    const controller = new AbortController();
    let isSlow = false;
    const slow: AlgodClient = {
      ...algod,
      pendingTransaction: async (txId, options) => {
        if (isSlow) controller.abort();
        return algod.pendingTransaction(txId, options);
      },
    };
    const fetchPaid = stage.paying({ networks: { 'algorand:*': slow } });
    await fetchPaid(seller.url);
    isSlow = true;
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    isSlow = false;
    await fetchPaid(seller.url);
    expect(seller.payments()).toHaveLength(1);
  });

  it('of a paid request does not lose the payment: the next identical request sends it', async () => {
    const controller = new AbortController();
    let isUp = false;
    const seller = await stage.sellerThat(({ payment }) => {
      if (!payment) return asking();
      if (isUp) return settled(payment);
      controller.abort();
      return new Promise<Answer>(() => {});
    });
    const fetchPaid = stage.paying();
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    isUp = true;
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.payments()).toHaveLength(1);
  });
});
