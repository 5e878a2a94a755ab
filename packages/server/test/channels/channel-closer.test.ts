import { randomBytes } from 'node:crypto';
import { parseChannelPayload } from '@avm402/avm/batch-settlement';
import { claimKeyOf } from '@avm402/avm/batch-settlement/server/record';
import { X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { describe, expect, it } from 'vitest';
import { ChannelCloser } from '../../src/channels/closing/channel-closer.ts';
import { RoundEstimate } from '../../src/channels/rounds/round-estimate.ts';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import type { Channel } from '../../src/channels/record/channel.ts';
import type { Attempt } from '../../src/facilitator/attempt.ts';
import type { FacilitatorPool } from '../../src/facilitator/facilitator-pool.ts';
import type { PaymentQuestion } from '../../src/facilitator/payment-question.ts';
import type { PaymentEvent } from '../../src/payment-event.ts';
import { channel, NOW } from '../support/channels.ts';
import { faultyChannelStore } from '../support/faulty-channel-store.ts';

const key = claimKeyOf(new Uint8Array(32).fill(9));
const signature = new Uint8Array(64).fill(3);
const OPEN = { balance: 10_000n, authorized: 100n, signature, charged: 70n };

type Answer = Partial<SettleResponse> & Pick<SettleResponse, 'success'>;

/** A closer whose facilitator answers as it is told, on a channel that owes 70. */
async function closing(answer: Answer | Attempt<SettleResponse>, change: Partial<Channel> = {}) {
  const store = faultyChannelStore();
  const row = channel(1, { ...OPEN, ...change });
  await store.write([{ next: row }]);
  const asked: { question: PaymentQuestion; options: object }[] = [];
  const attempt: Attempt<SettleResponse> =
    'kind' in answer ? answer : { kind: 'answer', answer: { transaction: '', network: 'algorand:x', ...answer } };
  const pool = {
    settle: async (question: PaymentQuestion, options: object) => {
      asked.push({ question, options });
      await new Promise((resolve) => setImmediate(resolve));
      return attempt;
    },
  } as unknown as FacilitatorPool;
  const events: PaymentEvent[] = [];
  const book = new ChannelBook({ store, now: () => NOW, randomBytes });
  const rounds = new RoundEstimate({ now: () => NOW, monotonicNow: () => 0 }, undefined);
  const closer = new ChannelCloser({
    book,
    pool,
    rounds,
    claimKey: async () => key,
    idempotencyKey: async (about) => `key for ${about}`,
    report: (event) => events.push(event),
    now: () => NOW + 5,
    settleTimeoutMs: 1_234,
    maxWaitMs: 10,
  });
  const close = () => closer.close(row.channelId, 'seller');
  return { store, row, book, closer, close, asked, events, rounds };
}

const PAID: Answer = { success: true, transaction: 'CLAIM' };
const REFUSED: Answer = { success: false, errorReason: 'invalid_batch_settlement_avm_claim_authorization' };

describe('a claim', () => {
  it('is settled with the requirements of the first deposit, under a key that only its amount changes, in its time', async () => {
    const { close, asked, row } = await closing(PAID);
    await close();
    const { channelId, requirements } = row;
    expect(asked.map(({ options }) => options)).toEqual([
      { idempotencyKey: `key for claim ${channelId} 70`, timeoutMs: 1_234 },
    ]);
    const { payload } = asked[0]?.question ?? {};
    expect(payload).toMatchObject({ x402Version: 2, accepted: requirements });
    expect(parseChannelPayload(Object(payload).payload)).toMatchObject({
      type: 'claim',
      amount: 70n,
      voucher: { channelId, maxClaimableAmount: 100n, signature },
    });
  });

  it.each([
    ['nothing is owed', { charged: 0n }],
    ['no voucher has come', { charged: 0n, authorized: 0n }],
  ])('carries no voucher where %s', async (_name, change) => {
    const { close, asked } = await closing(PAID, change);
    await close();
    const claim = parseChannelPayload(Object(asked[0]?.question.payload).payload);
    expect([Object(claim).amount, Object(claim).voucher]).toEqual([0n, undefined]);
  });

  it('that is confirmed closes its channel, and says so', async () => {
    const { close, events, row, store } = await closing(PAID);
    const closed = await close();
    expect(closed).toMatchObject({
      state: 'closed',
      closedBy: 'CLAIM',
      closing: { reason: 'seller', since: NOW + 5 },
      charged: 70n,
    });
    expect(await store.get(row.channelId)).toEqual(closed);
    const { payer } = row.config;
    expect(events).toEqual([{ type: 'closed', route: 'channels', txId: 'CLAIM', payer, channelId: row.channelId }]);
  });

  it('tells the round of its network, whatever its answer', async () => {
    for (const answer of [PAID, REFUSED]) {
      const { close, rounds } = await closing({ ...answer, extra: { confirmedRound: '99500' } });
      const { config, ...rest } = channel(2);
      const other = { ...rest, config: { ...config, expiry: 100_000n } };
      expect(rounds.isExpiring(other)).toBe(false);
      await close().catch(() => undefined);
      expect(rounds.isExpiring(other)).toBe(true);
    }
  });

  it.each<[string, Answer | Attempt<SettleResponse>]>([
    ['the node is asleep', { ...REFUSED, errorMessage: 'the node is asleep' }],
    ['invalid_batch_settlement_avm_claim_authorization', REFUSED],
    ['it was refused', { success: false }],
    [
      'nobody is there',
      { kind: 'unsent', error: new X402Error('facilitator_unreachable', { message: 'nobody is there' }) },
    ],
    ['who knows', { kind: 'unknown', error: new X402Error('facilitator_unreachable', { message: 'who knows' }) }],
  ])('that does not succeed leaves its channel closing, and says why: %s', async (why, answer) => {
    const { close, store, row, events } = await closing(answer);
    await expect(close()).rejects.toMatchObject({
      code: 'channel_not_closed',
      message: `channel ${row.channelId} is not closed yet: ${why}`,
    });
    expect(await store.get(row.channelId)).toMatchObject({ state: 'closing', charged: 70n });
    expect(events).toEqual([]);
  });

  it.each<[string, Answer, string]>([
    ['expiring', { success: false, errorReason: 'invalid_batch_settlement_avm_channel_expiring' }, 'lost'],
    [
      'closed by another transaction',
      { success: false, errorReason: 'invalid_batch_settlement_avm_channel_closed', transaction: 'REFUND' },
      'lost',
    ],
    ['closed', { success: false, errorReason: 'invalid_batch_settlement_avm_channel_closed' }, 'closed'],
  ])('whose channel is %s as its facilitator says', async (_name, answer, state) => {
    const { close, events, row } = await closing(answer);
    const ended = await close();
    expect([ended.state, ended.closedBy]).toEqual([state, undefined]);
    const { channelId } = row;
    const { payer, token } = row.config;
    if (state === 'closed') {
      expect(events).toEqual([{ type: 'closed', route: 'channels', txId: '', payer, channelId }]);
    } else {
      const why = answer.errorReason;
      const message = `channel ${channelId} has expired, and 70 units of asset ${token} that it owes were not claimed: ${why}`;
      expect(events).toEqual([
        { type: 'failed', route: 'channels', code: 'channel_lost', payer, channelId, error: expect.any(X402Error) },
      ]);
      expect(Object(events[0]).error.message).toBe(message);
    }
  });
});

describe('a close', () => {
  it('that is asked for twice at once claims once, and again when it is asked for after a failure', async () => {
    const { close, asked } = await closing(REFUSED);
    const both = await Promise.allSettled([close(), close()]);
    expect([both.map(({ status }) => status), asked.length]).toEqual([['rejected', 'rejected'], 1]);
    await close().catch(() => undefined);
    expect(asked).toHaveLength(2);
  });

  it('of a channel that nobody has opened claims nothing', async () => {
    const { closer, asked } = await closing(PAID);
    await expect(closer.close('nobody’s', 'seller')).rejects.toMatchObject({
      code: 'invalid_batch_settlement_avm_channel_not_found',
    });
    expect(asked).toEqual([]);
  });

  it('of a channel that has ended, here or elsewhere, claims and writes nothing', async () => {
    const { close, store, row, book, asked } = await closing(PAID);
    await book.find(row.channelId);
    const ended = { ...row, version: 2, state: 'closed', closedBy: 'ELSEWHERE' } as const;
    await store.write([{ next: ended, previous: 1 }]);
    const before = store.written();
    expect([await close(), await close()]).toEqual([ended, ended]);
    expect([asked, store.written()]).toEqual([[], before]);
  });

  it('that is tried again claims again, and writes nothing until it knows more', async () => {
    const { close, store, asked } = await closing(REFUSED);
    await close().catch(() => undefined);
    const before = store.written();
    await close().catch(() => undefined);
    expect([asked.length, store.written()]).toEqual([2, before]);
  });

  it('keeps the first reason, and claims what was fixed then', async () => {
    const since = { reason: 'idle', since: 1 } as const;
    const { close, asked } = await closing(PAID, { state: 'closing', closing: since });
    expect(await close()).toMatchObject({ state: 'closed', closing: since });
    expect(asked).toHaveLength(1);
  });

  it.each([0, 1])('that can’t be put on record lets its channel pay again (read %s fails)', async (which) => {
    const { close, book, store, row, asked } = await closing(PAID);
    const live = await book.find(row.channelId);
    store.writes.push('fails', 'fails');
    for (let read = 0; read < which; read++) store.reads.push('works');
    store.reads.push('fails');
    await expect(close()).rejects.toMatchObject({ code: 'store_unavailable' });
    store.writes.length = 0;
    store.reads.length = 0;
    await book.find(row.channelId);
    expect(live?.admit({ amount: 200n, signature, maximum: 100n })).toMatchObject({ amount: 200n });
    expect(asked).toEqual([]);
  });

  it('fixes what is on record, not what is in doubt', async () => {
    for (const [write, owes] of [
      ['answer is lost', 70n],
      ['fails', 70n],
    ] as const) {
      const { close, book, store, row, asked } = await closing(PAID);
      const live = await book.find(row.channelId);
      const request = live?.admit({ amount: 200n, signature, maximum: 100n });
      if (typeof request !== 'object') throw new Error('not admitted');
      store.writes.push(write);
      store.reads.push('fails');
      await expect(request.end(50n)).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(await close()).toMatchObject({ state: 'closed', charged: owes });
      expect(Object(parseChannelPayload(Object(asked[0]?.question.payload).payload)).amount).toBe(owes);
    }
  });

  it('takes a charge that another server has put on record, and none of what waits', async () => {
    const { close, book, store, row } = await closing(PAID);
    await book.find(row.channelId);
    const other = await new ChannelBook({ store, now: () => NOW, randomBytes }).find(row.channelId);
    const request = other?.admit({ amount: 200n, signature, maximum: 100n });
    if (typeof request === 'object') await request.end(50n);
    expect(await close()).toMatchObject({ state: 'closed', charged: 120n });
  });

  it('waits for a request under way, and no longer than it may', async () => {
    const { close, book, row } = await closing(PAID);
    const live = await book.find(row.channelId);
    const quick = live?.admit({ amount: 200n, signature, maximum: 100n });
    live?.admit({ amount: 300n, signature, maximum: 100n });
    const closed = close();
    if (typeof quick === 'object') await quick.end(50n);
    expect(await closed).toMatchObject({ state: 'closed', charged: 120n });
  });
});
