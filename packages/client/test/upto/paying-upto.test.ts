import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPayer, type JournalEntry, type PayingFetchOptions, reportOf, settlementOf } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { ChannelSeller } from '../channels/channel-seller.ts';
import { type Answers, asking, startSeller } from '../seller.ts';
import { startSlowChain } from '../slow-chain.ts';
import { payer as account, useStage } from '../stage.ts';
import { walletOf } from '../wallet.ts';
import { UptoSeller } from './upto-seller.ts';

const stage = useStage();

function memoryJournal() {
  const entries: JournalEntry[] = [];
  const journal = {
    read: () => Promise.resolve(entries),
    append: (entry: JournalEntry) => Promise.resolve(void entries.push(entry)),
  };
  const kinds = () => entries.map(({ event }) => event);
  const returned = () => entries.flatMap((entry) => (entry.event === 'returned' ? [entry.amount] : []));
  return { journal, kinds, returned };
}

async function shop(answers?: (sold: UptoSeller) => Answers) {
  const sold = new UptoSeller(stage.chain);
  const { url } = await stage.sellerThat(answers?.(sold) ?? sold.honest);
  const held = async () => (await stage.chain.algod.accountAsset(account.address, 10_458_941n))?.amount ?? 0n;
  const before = await held();
  return { sold, url, debited: async () => before - (await held()) };
}

const buyer = (options: Partial<Extract<PayingFetchOptions, { account: unknown }>> = {}) =>
  createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, recoverMs: 0, ...options });

describe('an offer whose amount is a maximum', () => {
  it('is paid by an authorization, and costs what the seller charged', async () => {
    const { url, debited, sold } = await shop();
    const response = await buyer().fetch(url);
    expect(response.status).toBe(200);
    expect(settlementOf(response)).toMatchObject({ success: true, amount: '3000' });
    expect(reportOf(response)).toMatchObject({ offer: { price: '$0.01' }, payment: { amount: 10_000n, fee: 0n } });
    await buyer().fetch(url);
    expect([await debited(), sold.came.size]).toEqual([6000n, 2]);
  });

  it('counts as its maximum until the own node has seen the charge, and as the charge from then on', async () => {
    const { url, debited } = await shop();
    const { journal, kinds, returned } = memoryJournal();
    const payer = buyer({ journal, spend: { perDay: '$0.015' } });
    const { others } = await payer.quote(url);
    expect(others).toEqual([]);
    await payer.fetch(url);
    expect(kinds()).toEqual(['sent', 'answered']);
    expect((await payer.quote(url)).chosen).toBeUndefined();
    await payer.fetch(url);
    expect(kinds()).toEqual(['sent', 'answered', 'confirmed', 'returned', 'sent', 'answered']);
    expect([returned(), await debited()]).toEqual([[7000n], 6000n]);
    const later = buyer({ journal: { ...journal }, spend: { perDay: '$0.015' } });
    await expect(
      later
        .fetch(url)
        .then(async () => later.fetch(url))
        .then(() => later.fetch(url)),
    ).rejects.toMatchObject({
      code: 'spend_limit_exceeded',
    });
  });

  it('gives the rest of its maximum back to the budgets once, however many look for the charge at a time', async () => {
    const { url } = await shop();
    const { journal, kinds, returned } = memoryJournal();
    const payers = Array.from({ length: 3 }, () => buyer({ journal }));
    await payers[0]?.fetch(url);
    await Promise.all(payers.map((payer) => payer.spending()));
    expect([kinds(), returned()]).toEqual([['sent', 'answered', 'confirmed', 'returned'], [7000n]]);
    const [dollars] = (await payers[0]?.spending()) ?? [];
    expect(dollars?.day.spent).toBe(3000n);
  });

  it('is presented again where the answer was lost, and charged once', async () => {
    const line = { isCut: true };
    const { url, debited, sold } = await shop((seller) => async (seen, all) => {
      const answer = await seller.honest(seen, all);
      return line.isCut && answer.status !== 402 ? { ...answer, cut: 'before' } : answer;
    });
    const payer = buyer();
    await expect(payer.fetch(url)).rejects.toMatchObject({ code: 'payment_settled_without_response' });
    line.isCut = false;
    const response = await payer.fetch(url);
    expect(response.status).toBe(200);
    expect([sold.came.size, await debited()]).toEqual([1, 3000n]);
  });

  it('is presented again by the next process that has the journal', async ({ onTestFinished }) => {
    const line = { isCut: true };
    const { url, debited, sold } = await shop((seller) => async (seen, all) => {
      if (!line.isCut || seen.headers['payment-signature'] === undefined) return seller.honest(seen, all);
      seller.came.add(String(seen.headers['payment-signature']));
      return { cut: 'before' };
    });
    const folder = await mkdtemp(join(tmpdir(), 'upto-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const isCut of [true, false]) {
      line.isCut = isCut;
      const journal = await openFileJournal(join(folder, 'payments.jsonl'));
      const answer = buyer({ journal }).fetch(url);
      if (isCut) await expect(answer).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
      else expect((await answer).status).toBe(200);
      await journal.close();
    }
    expect([sold.came.size, await debited()]).toEqual([1, 3000n]);
  });

  it('is paid anew only where the own node has seen the first authorization expire', async () => {
    let isDead = true;
    const { url, debited, sold } = await shop((seller) => async (seen, all) => {
      const header = seen.headers['payment-signature'];
      if (!isDead || typeof header !== 'string') return seller.honest(seen, all);
      seller.came.add(header);
      if (seller.came.size === 2) isDead = false;
      else await stage.chain.mine(40);
      return isDead ? asking([await seller.offer()], { error: 'expired' }) : seller.honest(seen, all);
    });
    const { journal, kinds } = memoryJournal();
    expect((await buyer({ journal }).fetch(url)).status).toBe(200);
    expect(kinds()).toEqual(['sent', 'expired', 'sent', 'answered']);
    expect([sold.came.size, await debited()]).toEqual([2, 3000n]);
  });

  it('no receipt makes it paid: what no block holds expires, and counts no longer', async () => {
    const { url } = await shop((seller) => async (seen, all) => {
      if (seen.headers['payment-signature'] === undefined) return seller.honest(seen, all);
      return { headers: seller.receipt({ transaction: 'A'.repeat(52), amount: '10000' }, await seller.offer()) };
    });
    const { journal, kinds } = memoryJournal();
    const payer = buyer({ journal, spend: { perDay: '$0.01' } });
    await payer.fetch(url);
    await expect(payer.fetch(url)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    await stage.chain.mine(40);
    expect((await payer.fetch(url)).status).toBe(200);
    expect(kinds().filter((kind) => kind === 'confirmed' || kind === 'expired')).toEqual(['expired']);
  });

  it.each(['10001', '-1', '1e3'])('a receipt over %s is not one of a payment of at most 10000', async (amount) => {
    const { url } = await shop((seller) => async (seen, all) => {
      if (seen.headers['payment-signature'] === undefined) return seller.honest(seen, all);
      return { headers: seller.receipt({ transaction: 'T', amount }, await seller.offer()) };
    });
    expect(settlementOf(await buyer().fetch(url))).toBeUndefined();
  });

  it('is not paid by a wallet, which signs no programs, nor where nobody is named who settles it', async () => {
    const { url, sold } = await shop();
    await expect(buyer({ account: walletOf(account) }).fetch(url)).rejects.toMatchObject({
      code: 'no_acceptable_offer',
    });
    const nobody = await stage.sellerThat(async () => asking([{ ...(await sold.offer()), extra: {} }]));
    await expect(buyer().fetch(nobody.url)).rejects.toMatchObject({ code: 'no_acceptable_offer' });
  });

  it('comes before a fixed price of the same amount, and after a channel', async () => {
    const sold = new UptoSeller(stage.chain);
    const upto = await sold.offer();
    const exact = { ...upto, scheme: 'exact' };
    const channel = await new ChannelSeller(stage.chain).offer();
    const { url } = await stage.sellerThat(() => asking([exact, upto, channel]));
    const { chosen, others } = await buyer({ channels: {} }).quote(url);
    expect([chosen, ...others].map((offer) => offer?.requirements.scheme)).toEqual([
      'batch-settlement',
      'upto',
      'exact',
    ]);
  });
});

describe.concurrent.each([
  ['shows each block at once', 0],
  ['is one block behind', 1],
] as const)('where blocks take their time and the own node %s', (_name, behind) => {
  it('a maximum is charged once, also when its answer is lost, and counts as the charge in the end', async () => {
    await using slow = await startSlowChain(behind, 200);
    const sold = new UptoSeller(slow.chain);
    const line = { isCut: true };
    const seller = await startSeller(async (seen, all) => {
      const answer = await sold.honest(seen, all);
      const isCut = line.isCut && answer.status !== 402;
      line.isCut &&= !isCut;
      return isCut ? { ...answer, cut: 'before' } : answer;
    });
    const { journal, returned } = memoryJournal();
    const spend = { perDay: '$0.015' };
    const payer = createPayer({ account, networks: { 'algorand:*': slow.own }, journal, spend, recoverMs: 5000 });
    expect((await payer.fetch(seller.url)).status).toBe(200);
    expect(sold.came.size).toBe(1);
    await slow.mine(2);
    expect((await payer.fetch(`${seller.url}/other`)).status).toBe(200);
    expect(returned()).toEqual([7000n]);
    await seller.stop();
  });
});
