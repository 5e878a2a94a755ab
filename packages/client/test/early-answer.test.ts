import { createPayer, type PaymentOutcome, reportOf, settlementOf } from '@avm402/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { paidAnswers } from './paid-answers.ts';
import { receipt, type SeenPayment } from './seller.ts';
import { payer, useStage } from './stage.ts';

const stage = useStage();
const early = (payment: SeenPayment) => ({
  headers: receipt(payment, { success: false, errorReason: 'settlement_pending' }),
});

function paying(listener: () => unknown = () => undefined) {
  const told: (readonly [string, PaymentOutcome['state']])[] = [];
  const buyer = createPayer({
    account: payer,
    networks: { 'algorand:*': stage.chain.algod },
    spend: { perPayment: '$0.01', perDay: '$0.02' },
    onOutcome: ({ txId }, { state }) => {
      told.push([txId, state]);
      return listener();
    },
  });
  return { fetch: buyer.fetch, spending: () => buyer.spending(), told };
}

describe('a response that comes before its payment is in a block', () => {
  it('is handed over at once; the payment counts, and is told once the own node has seen it', async () => {
    const seller = await stage.sellerThat(paidAnswers(early));
    const { fetch, spending, told } = paying();
    const response = await fetch(seller.url);
    expect([response.status, await response.json()]).toEqual([200, { report: 'sunny' }]);
    expect(settlementOf(response)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect(reportOf(response)?.outcome).toEqual({ state: 'open' });
    expect(seller.seen.filter(({ payment }) => payment)).toHaveLength(1);
    const [payment] = seller.seen.flatMap((seen) => seen.payment ?? []);
    if (payment === undefined) throw new Error('nothing was paid');
    await spending();
    expect(told).toEqual([]);
    await stage.chain.settle(payment);
    await spending();
    expect(told).toEqual([[reportOf(response)?.payment?.txId, 'confirmed']]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('is told to a listener that %s, which reaches no other request, nor what was spent', async (_, listener) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const seller = await stage.sellerThat(paidAnswers(early));
    const { fetch, spending, told } = paying(listener);
    await (await fetch(seller.url)).text();
    const [payment] = seller.seen.flatMap((seen) => seen.payment ?? []);
    if (payment === undefined) throw new Error('nothing was paid');
    await stage.chain.settle(payment);
    expect(await spending()).toMatchObject([{ day: { spent: 10_000n } }]);
    expect(told.map(([, state]) => state)).toEqual(['confirmed']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('is bought anew by the next identical request, within the budget that the first one counts against', async () => {
    const seller = await stage.sellerThat(paidAnswers(early));
    const { fetch } = paying();
    for (let bought = 1; bought <= 2; bought++) {
      await (await fetch(seller.url)).text();
      expect(seller.payments()).toHaveLength(bought);
    }
    await expect(fetch(seller.url)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(seller.payments()).toHaveLength(2);
  });

  it('gives the budget back only when the own node has seen the payment expire', async () => {
    const seller = await stage.sellerThat(paidAnswers(early));
    const { fetch, spending, told } = paying();
    for (let bought = 1; bought <= 2; bought++) await (await fetch(seller.url)).text();
    await spending();
    await expect(fetch(seller.url)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    await stage.chain.mine(1_100);
    await spending();
    expect(told.map(([, state]) => state)).toEqual(['expired', 'expired']);
    expect((await fetch(seller.url)).status).toBe(200);
  });

  it('is asked for again with the same payment if it broke off', async () => {
    const seller = await stage.sellerThat(paidAnswers((payment) => ({ ...early(payment), cut: 'within' }), early));
    const { fetch } = paying();
    await expect(fetch(seller.url).then((response) => response.text())).rejects.toThrow();
    expect((await fetch(seller.url)).status).toBe(200);
    expect(seller.payments()).toHaveLength(1);
  });
});
