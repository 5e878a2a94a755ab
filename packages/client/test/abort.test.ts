import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { createPayingFetch, type PayingFetchOptions, type TransactionWallet } from '@avm402/client';
import { ChannelSeller } from './channels/channel-seller.ts';
import { paidAnswers, refused, settledOn } from './paid-answers.ts';
import { asking, type Answer } from './seller.ts';
import { payer, useStage } from './stage.ts';
import { walletOf } from './wallet.ts';

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

  /** Aborts while something outside does not answer; nothing may have left. */
  const abortWhile = async (hangs: (never: <T>() => Promise<T>) => Partial<PayingFetchOptions>): Promise<void> => {
    const controller = new AbortController();
    const never = <T>(): Promise<T> => {
      setTimeout(() => controller.abort(new Error('enough')));
      return new Promise<T>(() => {});
    };
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = createPayingFetch({
      account: payer,
      networks: { 'algorand:*': stage.chain.algod },
      ...hangs(never),
    } as PayingFetchOptions);
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toThrow('enough');
    expect(seller.payments()).toEqual([]);
  };

  it('ends it while algod does not answer', () =>
    abortWhile((never) => ({ networks: { 'algorand:*': { ...stage.chain.algod, params: never } } })));

  it('ends it while the wallet asks its owner', () =>
    abortWhile((never) => ({ account: { address: payer.address, signTransactions: never } })));

  it('ends it while onOffer thinks', () => abortWhile((never) => ({ onOffer: never })));

  it('ends it while the journal is read', () =>
    abortWhile((never) => ({ journal: { read: never, append: () => Promise.resolve() } })));

  it('ends it while old payments are asked about to make room in a budget', async () => {
    const controller = new AbortController();
    const seller = await stage.sellerThat(stage.honest);
    let isSilent = false;
    const { algod } = stage.chain;
    const silent: AlgodClient = {
      ...algod,
      params: (signal) => {
        if (!isSilent) return algod.params(signal);
        setTimeout(() => controller.abort(new Error('enough')));
        return new Promise(() => {});
      },
    };
    const fetchPaid = stage.paying({ networks: { 'algorand:*': silent }, spend: { perDay: '$0.01' } });
    await fetchPaid(`${seller.url}/1`);
    isSilent = true;
    await expect(fetchPaid(`${seller.url}/2`, { signal: controller.signal })).rejects.toThrow('enough');
    expect(seller.payments()).toHaveLength(1);
  });

  it('gives the room in the budget back that was taken for a payment not made', async () => {
    const controller = new AbortController();
    const seller = await stage.sellerThat(stage.honest);
    let isFirst = true;
    const willing = walletOf(payer);
    const account: TransactionWallet = {
      ...willing,
      signTransactions: (...parameters) => {
        if (!isFirst) return willing.signTransactions(...parameters);
        isFirst = false;
        setTimeout(() => controller.abort(new Error('enough')));
        return new Promise(() => {});
      },
    };
    const networks = { 'algorand:*': stage.chain.algod };
    const fetchPaid = createPayingFetch({ account, networks, spend: { perDay: '$0.01' } });
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toThrow('enough');
    expect((await fetchPaid(seller.url)).status).toBe(200);
  });

  it('ends it while the own node is asked about a refused payment, which the next identical request sends', async () => {
    const controller = new AbortController();
    const seller = await stage.sellerThat(paidAnswers(refused('no'), settled));
    const { algod } = stage.chain;
    const silent: AlgodClient = {
      ...algod,
      pendingTransaction: (_txId, { signal } = {}) => {
        setTimeout(() => controller.abort(new Error('enough')));
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        });
      },
    };
    const fetchPaid = stage.paying({ networks: { 'algorand:*': silent } });
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toThrow('enough');
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.payments()).toHaveLength(1);
  });

  it('ends it while the own node is asked whether a channel is closed, as its seller says', async () => {
    const controller = new AbortController();
    const sold = new ChannelSeller(stage.chain);
    const { algod } = stage.chain;
    let isPaid = false;
    const seller = await stage.sellerThat(async (seen, all) =>
      isPaid
        ? asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_closed' })
        : sold.honest(seen, all),
    );
    const account: AlgodClient['account'] = (address) => {
      if (!isPaid) return algod.account(address);
      setTimeout(() => controller.abort(new Error('enough')));
      return new Promise(() => {});
    };
    const networks = { 'algorand:*': { ...algod, account } };
    const fetchPaid = createPayingFetch({ account: payer, networks, channels: {} });
    expect((await fetchPaid(seller.url)).status).toBe(200);
    isPaid = true;
    await expect(fetchPaid(seller.url, { signal: controller.signal })).rejects.toThrow('enough');
  });

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
