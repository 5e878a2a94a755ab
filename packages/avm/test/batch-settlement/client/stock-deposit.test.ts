import { describe, expect, it, vi } from 'vitest';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { payer } from '../channel-fixture.ts';
import {
  algod,
  amountOf,
  buyer,
  failed,
  idOf,
  offer,
  paid,
  summary,
  telling,
  useWorld,
  withChannel,
  world,
} from './stock-buyer.ts';

useWorld();

describe('a deposit without an answer', () => {
  it.each<[string, bigint, bigint | undefined, bigint, boolean]>([
    ['has come with all that it added', 100n, 1_000_000n, 10_001n, true],
    ['has not come as long as a unit is missing', 100n, 999_999n, 10_000n, true],
    ['may come until its last round', 1100n, undefined, 10_000n, true],
    ['comes no more after its last round', 1101n, undefined, 10_000n, false],
    ['has come, though its last round is past', 1101n, 1_000_000n, 10_001n, true],
  ])('%s', async (_what, round, held, amount, isSame) => {
    const { presents, hears } = buyer();
    const first = await presents();
    await hears(first, {});
    // Ten spare rounds and those of 60 seconds: on a development network a window lasts 1,000 rounds.
    const last = first.type === 'deposit' ? (first.deposit.paymentGroup[0]?.signed.txn.lastValid ?? 0n) : 0n;
    world.node = { ...world.node, round: round > 1000n ? last + round - 1100n : round, held };
    const next = await presents();
    expect([amountOf(next), idOf(next) === idOf(first)]).toEqual([amount, isSame]);
    if (amount === 10_000n && isSame) expect(next).toEqual(first);
  });

  it('that has come counts once, and its request may have been charged or may still be told', async () => {
    for (const [isAnswered, amount] of [
      [true, 10_001n],
      [false, 20_000n],
    ] as const) {
      world.node = { ...world.node, held: undefined };
      const { presents, hears } = buyer();
      const first = await presents();
      if (isAnswered) await hears(first, {});
      world.node.held = 1_000_000n;
      const vouchers = await Promise.all([presents(), presents()]);
      expect(vouchers.map(amountOf)).toContain(amount);
      if (!isAnswered) await hears(first, {});
      expect(summary(await presents('980001'))[3], 'no room for more than was deposited').toBe(2);
    }
  });

  it('that can’t come is followed by one channel for all that wait', async () => {
    const { presents, hears, client } = buyer();
    const first = await presents();
    await hears(first, {});
    world.node.round = 9_000n;
    const waiting = [presents(), presents()];
    const next = await Promise.race(waiting);
    await hears(next, paid('10000'));
    await vi.advanceTimersByTimeAsync(250);
    const ids = (await Promise.all(waiting)).map(idOf);
    expect([new Set(ids).size, ids.includes(idOf(first)), client.channels().length]).toEqual([1, false, 2]);
  });

  it('is presented again where no node is there to ask', async () => {
    const algods = [algod, undefined];
    const { presents, hears } = buyer({ algod: () => (algods.length > 1 ? algods.shift() : algods[0]) });
    const first = await presents();
    await hears(first, {});
    world.node.held = 1_000_000n;
    expect(await presents()).toEqual(first);
  });

  it('is presented again for another price with another voucher, within what it holds', async () => {
    const { presents, hears } = buyer();
    const first = await presents();
    await hears(first, {});
    const second = await presents('20000');
    expect([summary(first)[1], summary(second)[1]]).toEqual([10_000n, 30_000n]);
    if (first.type !== 'deposit' || second.type !== 'deposit') throw new Error('no deposits');
    expect(second.deposit).toEqual(first.deposit);
    await hears(second, {}, '20000');
    await expect(presents('990001')).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    const third = await presents('990000');
    expect(summary(third)[1]).toBe(1_000_000n);
    await hears(third, {}, '990000');
    expect(summary(await presents())).toEqual(summary(first));
  });

  it('lets others wait, who look again each quarter of a second and go on once it has come', async () => {
    const { presents, hears } = buyer();
    const first = await presents();
    const waiting = presents();
    let isDone = false;
    void waiting.then(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(249);
    await hears(first, paid('10000'));
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(summary(await waiting)).toEqual(['voucher', 20_000n]);
  });

  it('lets others wait for its own answer, not for that of a voucher', async () => {
    const { presents, hears } = await withChannel();
    const [voucher, rest] = [await presents(), await presents('980000')];
    expect([voucher.type, rest.type]).toEqual(['voucher', 'voucher']);
    const topUp = await presents();
    await hears(voucher, paid('10000'));
    const waiting = presents();
    let isDone = false;
    void waiting.then(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(250);
    expect([topUp.type, isDone]).toEqual(['deposit', false]);
    await hears(topUp, paid('10000'));
    await vi.advanceTimersByTimeAsync(250);
    expect(summary(await waiting)).toEqual(['voucher', 1_020_000n]);
  });

  it('is signed by one, however long its wallet takes', async () => {
    const asked: PromiseWithResolvers<void>[] = [];
    const signTransactions = async (transactions: Uint8Array[], indexes: number[] = []) => {
      asked.push(Promise.withResolvers<void>());
      await asked.at(-1)?.promise;
      return transactions.map((txn, at) =>
        indexes.includes(at) ? payer.signTransaction(decodeTransaction(txn)) : null,
      );
    };
    const { presents } = buyer({ account: { address: payer.address, signTransactions } });
    const both = [presents(), presents()];
    await vi.advanceTimersByTimeAsync(250);
    world.clock = offer.maxTimeoutSeconds * 1000;
    await vi.advanceTimersByTimeAsync(250);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve();
    await vi.advanceTimersByTimeAsync(250);
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
  });

  it('that has come lets nobody wait for ever once it is used up, though its own answer was lost', async () => {
    const { presents } = buyer();
    await presents();
    world.node.held = 1_000_000n;
    expect(amountOf(await presents('980000'))).toBe(990_000n);
    const next = presents('20000').then(summary);
    world.clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    expect(await Promise.race([next, Promise.resolve('it waits')])).toEqual(['deposit', 1_010_000n, 2_000_000n, 2]);
  });

  it('is not taken to have come by the late receipt of an earlier one', async () => {
    const { presents, hears } = buyer();
    const opening = await presents();
    world.node.held = 1_000_000n;
    await presents('980000');
    const adding = presents('20000');
    world.clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    const topUp = await adding;
    await hears(opening, paid('10000'));
    const next = presents('500000');
    world.clock = 120_000;
    await vi.advanceTimersByTimeAsync(250);
    expect([topUp.type, (await next).type]).toEqual(['deposit', 'deposit']);
  });

  it('that has come with another request keeps no room for the one for which it was signed', async () => {
    const { presents, hears } = buyer();
    await hears(await presents(), {});
    await hears(await presents('20000'), paid('20000'), '20000');
    expect(summary(await presents())).toEqual(['voucher', 30_001n]);
  });

  it('that has come is presented with vouchers until its seller has told that it has counted it', async () => {
    const { presents, hears } = buyer();
    const first = await presents();
    await hears(first, failed('settlement_pending'));
    world.node.held = 1_000_000n;
    const [second, third] = [await presents(), await presents()];
    if (first.type !== 'deposit' || second.type !== 'deposit') throw new Error('no deposits');
    expect([second.deposit, amountOf(second)]).toEqual([first.deposit, 10_001n]);
    await hears(third, failed('channel_busy'));
    expect((await presents()).type).toBe('deposit');
    await hears(second, paid('10000'));
    expect((await presents()).type).toBe('voucher');
  });

  it('is presented with another voucher once its seller has told of charges that the first does not cover', async () => {
    const { presents, hears } = await withChannel();
    const unheard = await presents('990000');
    await hears(unheard, {}, '990000');
    const topUp = await presents();
    expect(summary(topUp)).toEqual(['deposit', 1_000_001n, 1_000_000n, 2]);
    const told = {
      ...failed('invalid_batch_settlement_avm_cumulative_amount_mismatch'),
      ...telling(unheard, 1_000_000n),
    };
    expect(await hears(topUp, told)).toBe(true);
    const again = await presents();
    expect(summary(again)).toEqual(['deposit', 1_020_000n, 1_000_000n, 2]);
    if (topUp.type !== 'deposit' || again.type !== 'deposit') throw new Error('no deposits');
    expect(again.deposit).toEqual(topUp.deposit);
    await hears(again, paid('10000'));
    expect(summary(await presents())).toEqual(['voucher', 1_020_001n]);
  });

  it('that two requests have brought leaves what a third may have cost in doubt when the second is refused', async () => {
    const { presents, hears } = await withChannel();
    const [unheard, rest] = [await presents(), await presents('980000')];
    await hears(rest, paid('980000'), '980000');
    const first = await presents();
    const waiting = presents();
    world.clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    const second = await waiting;
    expect(second).toEqual(first);
    await hears(unheard, {});
    await hears(first, paid('10000'));
    expect(await hears(second, telling(first, 1_010_000n))).toBe(true);
  });

  it('lets others wait as long as the offer gives, and no longer: then they present it as well', async () => {
    const { presents } = buyer();
    const first = await presents();
    const waiting = presents();
    let isDone = false;
    void waiting.then(() => (isDone = true));
    world.clock = 59_999;
    await vi.advanceTimersByTimeAsync(250);
    expect(isDone).toBe(false);
    world.clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    expect(await waiting).toEqual(first);
  });
});
