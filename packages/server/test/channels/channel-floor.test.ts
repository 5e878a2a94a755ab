import { REMEMBERED_AMOUNTS } from '@avm402/avm/batch-settlement/server/record';
import { describe, expect, it } from 'vitest';
import { admitted, type ChannelRecord, next, recordOf } from '../../src/channels/record/channel-record.ts';
import type { Channel } from '../../src/channels/record/channel.ts';
import type { RememberedRequest } from '../../src/channels/record/channel-store.ts';
import { channel, request } from '../support/channels.ts';

const signature = new Uint8Array(64);
const TOP = 1_000_000n;

/** A record of a row at this version, with so many requests from 1,001 on. */
function recordAt(version: number, remembered = REMEMBERED_AMOUNTS, change: Partial<Channel> = {}): ChannelRecord {
  const row = channel(1, { version, authorized: 5_000n, signature, ...change });
  const requests = Array.from({ length: remembered }, (_, index) => remember(1_001n + BigInt(index)));
  return recordOf(row, requests, 'aa');
}

const remember = (amount: bigint): RememberedRequest => ({ amount, charge: 0n, owner: 'aa' });

function admit(record: ChannelRecord, amount: bigint, maximum = 1n): ChannelRecord {
  const after = admitted(record, { amount, maximum, signature });
  if (typeof after === 'string') throw new Error(after);
  return after;
}

/** The floor that the next write puts on record. */
function floorAfter(record: ChannelRecord): bigint | undefined {
  const step = { kind: 'deposit', txId: 'TX', amount: 1n } as const;
  const { record: asked } = next(record, { type: 'asked', step });
  return next(asked, { type: 'due' }).record.change?.next.floor;
}

describe('the requests that a channel forgets', () => {
  it.each<[string, ChannelRecord, bigint]>([
    ['none at 999 requests', recordAt(64, REMEMBERED_AMOUNTS - 1), 0n],
    ['all below 1,000 requests', recordAt(64), 1_001n],
    ['none at a version that is no multiple of 64', recordAt(63), 0n],
    ['none at the one after it', recordAt(65), 0n],
    ['all below them at the next multiple', recordAt(128), 1_001n],
    ['none above a floor that is higher', recordAt(64, REMEMBERED_AMOUNTS, { floor: 1_500n }), 1_500n],
  ])('are %s', (_name, record, floor) => {
    expect(floorAfter(record)).toBe(floor);
  });

  it('are none at or above one that is under way, or waits to be put on record', () => {
    const slow = admit(recordAt(64, REMEMBERED_AMOUNTS - 1), 500n);
    expect(floorAfter(admit(slow, 5_000n))).toBe(500n);
    const charged = { kind: 'charge', request: request(500n, { charge: 1n }), cost: 1n, at: 0 } as const;
    const { record } = next(slow, { type: 'asked', step: charged });
    const waiting = { ...record, credit: { ...record.credit, reserved: [] } };
    expect(floorAfter(waiting)).toBe(500n);
  });

  it('are none at or above one that is in doubt, whose charge could not be taken back otherwise', () => {
    expect(floorAfter({ ...recordAt(64), doubtful: new Map([[700n, request(700n)]]) })).toBe(700n);
  });

  it('are told apart from others by their amounts alone', () => {
    const record = { ...recordAt(64), row: { ...channel(1), floor: 10n } };
    expect(admitted(record, { amount: 9n, maximum: 0n, signature })).toBe('cumulative_amount_mismatch');
  });
});

it('the highest voucher of a channel is the one on record, or a higher one that came since', () => {
  const known = recordAt(1, 0, { authorized: 5_000n });
  expect(known.highest).toEqual({ amount: 5_000n, signature });
  const later = new Uint8Array(64).fill(1);
  const after = (amount: bigint) => admitted(known, { amount, maximum: 0n, signature: later });
  expect([4_999n, 5_001n].map((amount) => Reflect.get(Object(after(amount)), 'highest'))).toEqual([
    { amount: 5_000n, signature },
    { amount: 5_001n, signature: later },
  ]);
  expect(recordOf(channel(1), [], 'aa').highest).toBeUndefined();
});

describe('what a record asks for', () => {
  const step = { kind: 'deposit', txId: 'TX', amount: 1n } as const;
  const record = recordAt(1, 0);
  const commandsOf = (of: ChannelRecord, type: 'asked' | 'written') =>
    next(of, type === 'asked' ? { type, step } : { type }).commands.map((command) => command.do);
  const writing = next(next(record, { type: 'asked', step }).record, { type: 'due' }).record;

  it('is a turn to write for what waits, and none while a write or a read is under way', () => {
    expect(commandsOf(record, 'asked')).toEqual(['submit']);
    expect(commandsOf(writing, 'asked')).toEqual([]);
    const { record: loading } = next(record, { type: 'looked' });
    expect([loading.knowledge, commandsOf(loading, 'asked')]).toEqual(['loading', []]);
  });

  it('is a read first where what is known may be old', () => {
    const { record: stale } = next(next(record, { type: 'looked' }).record, { type: 'loadFailed', error: 'none' });
    expect([stale.knowledge, commandsOf(stale, 'asked')]).toEqual(['stale', ['load']]);
  });

  it('is nothing more after a write with which nothing waits, and a turn for what came meanwhile', () => {
    expect(commandsOf(writing, 'written')).toEqual(['tell']);
    const { record: more } = next(writing, { type: 'asked', step: { ...step, txId: 'OTHER' } });
    expect(commandsOf(more, 'written')).toEqual(['tell', 'submit']);
    expect(commandsOf(record, 'written')).toEqual([]);
  });

  it('is one read for all who look, after the write that is under way', () => {
    const { record: looked, commands } = next(writing, { type: 'looked' });
    expect([looked.knowledge, commands]).toEqual(['stale', []]);
    expect(commandsOf(looked, 'written')).toEqual(['tell', 'load']);
    const { record: loading } = next(record, { type: 'looked' });
    expect(next(loading, { type: 'looked' }).commands).toEqual([]);
  });

  it('is a read of the deposits that are in doubt, and of no other', () => {
    const { record: sent } = next(next(record, { type: 'asked', step }).record, { type: 'due' });
    const failed = next(sent, { type: 'failed', error: 'broken' });
    expect(failed.commands).toEqual([{ do: 'load', deposits: ['TX'] }]);
    const { record: doubtful } = next(failed.record, { type: 'loadFailed', error: 'broken' });
    expect(next(doubtful, { type: 'looked' }).commands).toEqual([{ do: 'load', deposits: [] }]);
  });

  it('is nothing where nothing that waits fits', () => {
    const closed = { ...record, row: { ...record.row, state: 'closed' } as const };
    const { record: asked } = next(closed, { type: 'asked', step });
    const { record: after, commands } = next(asked, { type: 'due' });
    expect([after.change, after.sent, after.waiting]).toEqual([undefined, [], []]);
    expect(commands).toEqual([{ do: 'refuse', step, code: 'invalid_batch_settlement_avm_channel_closed' }]);
  });

  it('is refused for a charge above what its request was admitted for', () => {
    const request1 = { kind: 'charge', request: request(TOP, { charge: 2n }), cost: 2n, at: 0 } as const;
    expect(() => next(admit(record, TOP), { type: 'asked', step: request1 })).toThrow(RangeError);
  });
});
