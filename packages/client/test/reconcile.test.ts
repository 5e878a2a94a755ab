import { describe, expect, it, vi } from 'vitest';
import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import type { JournalEntry, SentPayment } from '@avm402/client';
import { paymentOutcome } from '../src/own-node/payment-outcome.ts';
import { Spending } from '../src/budget/spending.ts';
import { SpendPolicy } from '../src/budget/spend-policy.ts';
import { cents, HOUR, memoryJournal, MINUTE, ModelChain, spend, spendingOn, WINDOW } from './model-chain.ts';

/** Ten payments, and an hour later one more, all expired; the node has no block left of the windows of the ten. */
async function spendLongAgoAndOnce(spending: Spending, chain: ModelChain): Promise<SentPayment | undefined> {
  for (let index = 0; index < 10; index++) await spend(spending, chain, cents(1));
  const firstKept = chain.round + WINDOW;
  chain.pass(HOUR);
  const young = await spend(spending, chain, cents(1));
  chain.algod.blockTransactionIds = (round) =>
    round < firstKept ? Promise.reject(new Error('pruned')) : Promise.resolve([]);
  chain.pass(2 * MINUTE);
  return young;
}

/** Twenty payments, all expired. */
async function spendTwentyTimes(spending: Spending, chain: ModelChain): Promise<void> {
  for (let index = 0; index < 20; index++) await spend(spending, chain, cents(1));
  chain.pass(2 * MINUTE);
}

describe('asking the own node about open payments', () => {
  it('payments on a network without an algod do not keep others from being asked about', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const sent = await spend(spendingOn(chain, {}, journal), chain, cents(1));
    const strange = Array.from({ length: 10 }, (_, index) => ({ network: ALGORAND_MAINNET, txId: `M${index}` }));
    const lines = sent ? strange.map((one) => ({ event: 'sent' as const, payment: { ...sent, ...one } })) : [];
    journal.entries.unshift(...lines);
    chain.pass(2 * MINUTE);
    let tell = (_entry: JournalEntry): void => {};
    const told = new Promise<JournalEntry>((resolve) => (tell = resolve));
    const after = new Spending({
      policy: new SpendPolicy(),
      algodOf: (network) => (network === ALGORAND_TESTNET ? chain.algod : undefined),
      now: () => chain.now,
      journal: { ...journal.reopened(), append: (entry) => Promise.resolve(tell(entry)) },
    });
    await after.load();
    after.reconcileBehind();
    expect(await told).toMatchObject({ event: 'expired', txId: sent?.txId });
  });

  it('payments whose end the own node can no longer tell do not keep younger ones from being asked about', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const spending = spendingOn(chain, {}, journal);
    const young = await spendLongAgoAndOnce(spending, chain);
    await vi.waitFor(() => {
      spending.reconcileBehind();
      expect(journal.entries.at(-1)).toMatchObject({ event: 'expired', txId: young?.txId });
    });
  });

  it('the node is asked about eight payments at a time, however many are open', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const spending = spendingOn(chain, {}, journal);
    await spendTwentyTimes(spending, chain);
    const node = { ...chain.algod };
    let asked = 0;
    let most = 0;
    chain.algod.params = async () => {
      most = Math.max(most, ++asked);
      await new Promise(setImmediate);
      asked--;
      return node.params();
    };
    await spending.reconcile();
    expect(most).toBe(8);
    expect(journal.entries.filter(({ event }) => event === 'expired')).toHaveLength(20);
  });

  it('no more than ten requests are under way at the node, however many blocks have to be read', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const spending = spendingOn(chain, {}, journal);
    await spendTwentyTimes(spending, chain);
    const node = { ...chain.algod };
    let underWay = 0;
    const limited = async <T>(call: () => Promise<T>): Promise<T> => {
      underWay++;
      await new Promise(setImmediate);
      const isTooMuch = underWay > 10;
      underWay--;
      return isTooMuch ? Promise.reject(new Error('429')) : call();
    };
    chain.algod.params = () => limited(() => node.params());
    chain.algod.pendingTransaction = (txId) => limited(() => node.pendingTransaction(txId));
    chain.algod.blockTransactionIds = (round) => limited(() => node.blockTransactionIds(round));
    await spending.reconcile();
    expect(journal.entries.filter(({ event }) => event === 'expired')).toHaveLength(20);
  });

  it('each of many processes that make one payment asks about the youngest first, which the node can still tell', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const young = await spendLongAgoAndOnce(spendingOn(chain, {}, journal), chain);
    for (let run = 0; run < 3; run++) await spend(spendingOn(chain, {}, journal), chain, cents(1));
    await vi.waitFor(async () => {
      const next = spendingOn(chain, {}, journal.reopened());
      await next.load();
      next.reconcileBehind();
      expect(journal.entries.at(-1)).toMatchObject({ event: 'expired', txId: young?.txId });
    });
  });

  it('an abort is heard, also by a call that waits for its turn at a silent node', async () => {
    const chain = new ModelChain();
    const payment = await spend(spendingOn(chain, {}), chain, cents(1));
    if (!payment) throw new Error('the budget is not that small');
    chain.algod.params = () => new Promise(() => {});
    const controller = new AbortController();
    const asked = Array.from({ length: 20 }, () => paymentOutcome(payment, chain.algod, controller.signal));
    controller.abort(new Error('enough'));
    const ends = await Promise.allSettled(asked);
    expect(ends).toEqual(ends.map(() => ({ status: 'rejected', reason: new Error('enough') })));
  });
});
