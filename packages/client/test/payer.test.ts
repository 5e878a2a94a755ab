import { describe, expect, it } from 'vitest';
import { createPayer, type PayingFetchOptions } from '@avm402/client';
import { asking, requirements } from './seller.ts';
import { memoryJournal } from './model-chain.ts';
import { payer as account, useStage } from './stage.ts';

const stage = useStage();
const payerWith = (options: Partial<Omit<PayingFetchOptions, 'client' | 'account' | 'mandate'>> = {}) =>
  createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, recoverMs: 2_000, ...options });

describe('a payer', () => {
  it('shows a payment that a quoted request has brought along to no other origin', async () => {
    const other = await stage.sellerThat(() => asking());
    const seller = await stage.sellerThat(() => ({ status: 307, headers: { Location: other.url } }));
    const quote = payerWith({}).quote(seller.url, { headers: { 'X-PAYMENT': 'secret' } });
    await expect(quote).rejects.toMatchObject({ code: 'unsafe_redirect' });
    expect(other.seen.map(({ headers }) => headers['x-payment'])).toEqual([undefined]);
  });

  it('quotes each offer, pays nothing, and knows what earlier processes have spent', async () => {
    const seller = await stage.sellerThat((seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{}, { amount: '30000' }, { asset: '7' }]),
    );
    const journal = memoryJournal();
    const before = await payerWith({ journal }).quote(seller.url);
    expect(before).toMatchObject({ chosen: { price: '$0.01' }, others: [{ price: '$0.03' }] });
    expect(before.refused).toMatchObject([{ requirements: { asset: '7' }, refusal: { kind: 'policy' } }]);
    expect(seller.payments()).toEqual([]);

    await payerWith({ journal }).fetch(seller.url);
    const after = await payerWith({ journal: journal.reopened(), spend: { perDay: '$0.03' } }).quote(seller.url);
    expect(after).toMatchObject({ chosen: { price: '$0.01' }, others: [] });
    expect(after.refused.map(({ refusal }) => refusal.kind)).toEqual(['limit', 'policy']);
  });

  it('signs a payment that counts against the budget as any other, and sends nothing', async () => {
    const payer = payerWith({ spend: { perDay: '$0.015', allowHttp: true } });
    const required = { x402Version: 2, resource: { url: 'https://x.example/' }, accepts: [requirements] };
    expect(await payer.sign(required)).toMatch(/^[\w+/=]{1000,}$/);
    await expect(payer.sign(required)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(await stage.chain.confirmed()).toEqual([]);
  });

  it('says what was spent, where, and what its limits still allow', async () => {
    const [one, other] = [await stage.sellerThat(stage.honest), await stage.sellerThat(stage.honest)];
    const journal = memoryJournal();
    await payerWith({ journal }).fetch(one.url);
    const payer = payerWith({ journal, spend: { perHour: '$0.05', perDay: '$0.04' } });
    await payer.fetch(one.url);
    await payer.fetch(other.url);
    expect(await payer.spending()).toEqual([
      {
        unit: 'usd',
        next: 10_000n,
        hour: { spent: 30_000n, limit: 50_000n, left: 20_000n },
        day: { spent: 30_000n, limit: 40_000n, left: 10_000n },
        origins: [
          { origin: one.url, spent: 20_000n },
          { origin: other.url, spent: 10_000n },
        ],
      },
    ]);
    await expect(payerWith().spending()).rejects.toMatchObject({ code: 'invalid_spend_options' });
  });

  it('waits for a node as long as it is told to, be it for ever', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const journal = memoryJournal();
    const slow = { ...stage.chain.algod };
    let now = Date.now();
    const payer = payerWith({ journal, now: () => now, networks: { 'algorand:*': slow } });
    await payer.fetch(seller.url);
    slow.pendingTransaction = async (...asked) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return stage.chain.algod.pendingTransaction(...asked);
    };
    now += 120_000;
    await payer.fetch(seller.url);
    await payer.finish(Infinity);
    expect(journal.entries.filter(({ event }) => event === 'confirmed')).toHaveLength(1);
  });

  it('stops asking a silent node when it is told to finish', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const journal = memoryJournal();
    let now = Date.now();
    const silent = { ...stage.chain.algod };
    const payer = payerWith({ journal, now: () => now, networks: { 'algorand:*': silent } });
    await payer.fetch(seller.url);
    let asked = 0;
    silent.pendingTransaction = () => {
      asked++;
      return new Promise(() => {});
    };
    now += 120_000;
    await payer.fetch(seller.url);
    expect(asked).toBeGreaterThan(0);
    await expect(payer.finish(10)).resolves.toBeUndefined();
    expect(journal.entries.filter(({ event }) => event === 'confirmed')).toEqual([]);
  });
});
