import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { AlgorandError } from '@avm402/algorand/errors';
import { reportOf, settlementOf } from '@avm402/client';
import { memoryJournal, noSuchBlock } from './model-chain.ts';
import { paidAnswers, refused, settledOn } from './paid-answers.ts';
import { receipt, type Answer, type SeenPayment } from './seller.ts';
import { payer, useStage } from './stage.ts';

const stage = useStage();
const settled = settledOn(stage);
const settledButCut = async (payment: SeenPayment): Promise<Answer> => {
  await stage.chain.settle(payment);
  return { cut: 'before' };
};
const pending = (payment: SeenPayment): Answer => ({
  status: 503,
  headers: { 'Retry-After': '0', ...receipt(payment, { success: false, errorReason: 'settlement_pending' }) },
});

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

  it('a 402 that says settlement_pending is one of those answers', async () => {
    const seller = await stage.sellerThat(paidAnswers(refused('settlement_pending'), settled));
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(200);
    expect(seller.seen).toHaveLength(3);
    expect(seller.payments()).toHaveLength(1);
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

  it('the longest time that can be given is one, although no timer is so long', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        () => ({ cut: 'before' }),
        async (payment) => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return settled(payment);
        },
      ),
    );
    expect((await stage.paying({ recoverMs: Number.MAX_SAFE_INTEGER })(seller.url)).status).toBe(200);
    expect(seller.seen).toHaveLength(3);
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

describe('an answer that is neither a success nor a receipt is not believed about the money', () => {
  it.each([400, 404, 500, 503])(
    'a %i without a receipt: the own node says that the payment settled',
    async (status) => {
      const seller = await stage.sellerThat(
        paidAnswers(async (payment) => {
          await stage.chain.settle(payment);
          return { status, headers: { 'Retry-After': '9999' } };
        }),
      );
      const response = await stage.paying()(seller.url);
      expect(response.status).toBe(status);
      expect(settlementOf(response)).toMatchObject({ success: true, transaction: seller.payments()[0] });
    },
  );

  it('a dead payment that is answered with a 400 is not sent for ever: the next identical request pays anew', async () => {
    let clock = 1_000_000;
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        await stage.chain.mine(33);
        clock += 60_000;
        return { status: 400 };
      }, settled),
    );
    const fetchPaid = stage.paying({ now: () => clock });
    const response = await fetchPaid(seller.url);
    expect(response.status).toBe(400);
    expect(reportOf(response)?.payment?.txId).toBe(seller.payments()[0]);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(await stage.chain.confirmed()).toEqual([seller.payments()[1]]);
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

  it('and not for ever: when that one expires as well, its refusal is handed over', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async () => {
        // Longer than any payment is valid.
        await stage.chain.mine(1_001);
        return refused('invalid_exact_avm_expired')();
      }),
    );
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(402);
    expect(reportOf(response)).toMatchObject({
      payment: { txId: seller.payments()[1] },
      outcome: { state: 'expired' },
    });
    expect(seller.payments()).toHaveLength(2);
  });

  it('but not while a block of its window can’t be had', async () => {
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

  it('but where the own node has forgotten the blocks, once it is so old that nobody expects its answer', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        async () => {
          await stage.chain.mine(32 + 240);
          return refused('invalid_exact_avm_expired')();
        },
        refused('invalid_exact_avm_expired'),
        refused('invalid_exact_avm_expired'),
        settled,
      ),
    );
    const { algod } = stage.chain;
    const forgetful: AlgodClient = { ...algod, blockTransactionIds: () => Promise.reject(noSuchBlock) };
    const journal = memoryJournal();
    let clock = 1_000_000;
    const networks = { 'algorand:*': forgetful };
    const fetchPaid = stage.paying({ networks, journal, spend: { perDay: '$0.02' }, now: () => clock });
    expect((await fetchPaid(seller.url)).status).toBe(402);
    clock += 599_999;
    expect((await fetchPaid(seller.url)).status).toBe(402);
    clock += 1;
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(seller.payments()).toHaveLength(2);
    expect(await stage.chain.confirmed()).toEqual([seller.payments()[1]]);
    // Nobody knows what became of the first one, so both count.
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(journal.entries.map(({ event }) => event)).not.toContain('expired');
  });

  it('nor because the own node fails for a moment long after it was confirmed', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.settle(payment);
        await stage.chain.mine(32 + 240);
        return refused('invalid_exact_avm_expired')();
      }, settled),
    );
    const { algod } = stage.chain;
    const pendingTransaction = () => Promise.reject(new AlgorandError('algod_refused', 'busy', { status: 429 }));
    const networks = { 'algorand:*': { ...algod, pendingTransaction } };
    expect((await stage.paying({ networks })(seller.url)).status).toBe(402);
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
