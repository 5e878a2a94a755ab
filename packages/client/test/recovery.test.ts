import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { reportOf, settlementOf } from '@avm402/client';
import { asking, receipt, type Answer } from './seller.ts';
import { payer, useStage } from './stage.ts';

const stage = useStage();

/** Answers to the paid attempts, one after another; the last one stays. */
function paidAnswers(...answers: readonly ((payment: Parameters<typeof receipt>[0]) => Answer | Promise<Answer>)[]) {
  let attempt = 0;
  return async ({ payment }: { payment: Parameters<typeof receipt>[0] | undefined }): Promise<Answer> => {
    if (!payment) return asking();
    const answer = answers[Math.min(attempt++, answers.length - 1)];
    return answer ? answer(payment) : {};
  };
}

const settled = async (payment: Parameters<typeof receipt>[0]): Promise<Answer> => {
  await stage.chain.settle(payment);
  return { headers: receipt(payment) };
};
const settledButCut = async (payment: Parameters<typeof receipt>[0]): Promise<Answer> => {
  await stage.chain.settle(payment);
  return { cut: 'before' };
};
const pending = (payment: Parameters<typeof receipt>[0]): Answer => ({
  status: 503,
  headers: { 'Retry-After': '0', ...receipt(payment, { success: false, errorReason: 'settlement_pending' }) },
});
const refused =
  (error: string) =>
  (payment?: Parameters<typeof receipt>[0]): Answer => {
    const answer = asking([{}], { error });
    return payment
      ? { ...answer, headers: { ...answer.headers, ...receipt(payment, { success: false, errorReason: error }) } }
      : answer;
  };

describe('the same payment is sent again, with the same bytes and the same payment id', () => {
  it.each([
    ['when the connection breaks before the request arrives', () => ({ cut: 'before' }) as const],
    ['when the answer to a settled payment is lost', settledButCut],
    ['when the outcome is not yet known', pending],
    ['when a proxy lost the way (502)', () => ({ status: 502 })],
    ['when the facilitator is not reachable (503)', () => ({ status: 503, headers: { 'Retry-After': '0' } })],
    ['when a proxy gave up waiting (504)', () => ({ status: 504 })],
    ['when it was too much at a time (429)', () => ({ status: 429 })],
  ])('%s', async (_when, first) => {
    const seller = await stage.sellerThat(paidAnswers(first, settled));
    const response = await stage.paying()(seller.url, { method: 'POST', body: 'x' });
    expect(await response.json()).toEqual({ report: 'sunny' });
    expect(settlementOf(response)?.success).toBe(true);
    const headers = seller.seen.flatMap(({ payment }) => payment?.header ?? []);
    expect(headers).toHaveLength(2);
    expect(new Set(headers).size).toBe(1);
    expect(await stage.chain.confirmed()).toEqual(seller.payments());
  });

  it('waits as long as the seller asks, and gives up when that is longer than it may take', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        (payment) => ({ ...pending(payment), headers: { ...pending(payment).headers, 'Retry-After': '1' } }),
        settled,
      ),
    );
    const started = performance.now();
    expect((await stage.paying()(seller.url)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(950);

    const patient = await stage.sellerThat(
      paidAnswers((payment) => ({
        ...pending(payment),
        headers: { ...pending(payment).headers, 'Retry-After': '999999999' },
      })),
    );
    const response = await stage.paying()(patient.url);
    expect(response.status).toBe(503);
    expect(settlementOf(response)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
  });
});

describe('when no answer comes at all', () => {
  it('a resource that hangs when the payment is sent again does not hold the request for ever', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        () => ({ cut: 'before' }),
        () => new Promise(() => {}),
      ),
    );
    await expect(stage.paying({ recoverMs: 500 })(seller.url)).rejects.toMatchObject({
      code: 'payment_outcome_unknown',
    });
    expect(seller.payments()).toHaveLength(1);
  });

  it('a first answer may take longer than that', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        return settled(payment);
      }),
    );
    expect((await stage.paying({ recoverMs: 100 })(seller.url)).status).toBe(200);
  });

  it('a body that comes slowly after a second try is not cut off', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        () => ({ status: 502 }),
        async (payment) => ({ ...(await settled(payment)), slowlyMs: 1_500 }),
      ),
    );
    const response = await stage.paying({ recoverMs: 400 })(seller.url);
    expect(await response.json()).toEqual({ report: 'sunny' });
  });

  it('payment_settled_without_response: the own node has the payment', async () => {
    const seller = await stage.sellerThat(paidAnswers(settledButCut));
    await expect(stage.paying({ recoverMs: 300 })(seller.url)).rejects.toMatchObject({
      code: 'payment_settled_without_response',
      details: { transaction: expect.any(String) },
    });
    expect(seller.payments()).toHaveLength(1);
  });

  it('payment_outcome_unknown: the own node does not have it, but it is still valid', async () => {
    const seller = await stage.sellerThat(paidAnswers(() => ({ cut: 'before' })));
    await expect(stage.paying({ recoverMs: 300 })(seller.url)).rejects.toMatchObject({
      code: 'payment_outcome_unknown',
    });
    expect(seller.payments()).toHaveLength(1);
  });

  it('payment_outcome_unknown also when the own node does not answer', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.stop();
        return { cut: 'before' };
      }),
    );
    await expect(stage.paying({ recoverMs: 300 })(seller.url)).rejects.toMatchObject({
      code: 'payment_outcome_unknown',
    });
  });

  it('request_failed: the payment expired, so nothing was paid', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        return { cut: 'before' };
      }),
    );
    await expect(stage.paying({ recoverMs: 300 })(seller.url)).rejects.toMatchObject({ code: 'request_failed' });
  });
});

describe('nothing that a seller says makes a second payment', () => {
  it.each([
    'duplicate_payment',
    'duplicate_settlement',
    'settlement_rejected',
    'settlement_expired',
    'invalid_exact_avm_expired',
    'invalid_exact_avm_simulation_failed',
    'payment_already_on_chain',
    'please pay again',
  ])('%s', async (error) => {
    const seller = await stage.sellerThat(paidAnswers(refused(error)));
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(402);
    expect(settlementOf(response)?.success).not.toBe(true);
    expect(reportOf(response)?.payment?.txId).toBe(seller.payments()[0]);
    expect(seller.payments()).toHaveLength(1);
  });

  it('a refusal of a payment that the own node has seen confirmed is reported as settled', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.settle(payment);
        return refused('duplicate_payment')();
      }),
    );
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(402);
    expect(settlementOf(response)).toEqual({
      success: true,
      transaction: seller.payments()[0],
      network: expect.any(String),
      payer: payer.address,
    });
  });
});

describe('a new payment takes the place of one that the own node has seen expire', () => {
  it('once', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        return refused('invalid_exact_avm_expired')();
      }, settled),
    );
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(200);
    expect(seller.payments()).toHaveLength(2);
    expect(await stage.chain.confirmed()).toEqual([seller.payments()[1]]);
    const ids = seller.seen.flatMap(({ payment }) => payment?.paymentId ?? []);
    expect(new Set(ids).size).toBe(2);
  });

  it('and not for ever', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        return refused('invalid_exact_avm_expired')();
      }),
    );
    expect((await stage.paying()(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(2);
  });

  it('but not while a block of its window cannot be had', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        return refused('invalid_exact_avm_expired')();
      }),
    );
    const { algod } = stage.chain;
    const forgetful: AlgodClient = {
      ...algod,
      blockTransactionIds: (round, options) =>
        round === 20n ? Promise.reject(new Error('gone')) : algod.blockTransactionIds(round, options),
    };
    expect((await stage.paying({ networks: { 'algorand:*': forgetful } })(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(1);
  });

  it('nor if it was confirmed in a block of its window long ago', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.mine(5);
        await stage.chain.settle(payment);
        await stage.chain.mine(1100);
        return refused('invalid_exact_avm_expired')();
      }),
    );
    const response = await stage.paying()(seller.url);
    expect(settlementOf(response)).toMatchObject({ success: true, transaction: seller.payments()[0] });
    expect(seller.payments()).toHaveLength(1);
  });
});

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
    await expect(cut.json()).rejects.toThrow();
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
      await expect((await fetchPaid(seller.url)).json()).rejects.toThrow();
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

  it('does not wait for one that is still under way', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying();
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetchPaid(seller.url)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(await stage.chain.confirmed()).size).toBe(10);
  });
});

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
