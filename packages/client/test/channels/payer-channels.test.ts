import { AlgorandError } from '@avm402/algorand/errors';
import { channelProgram } from '@avm402/avm/batch-settlement';
import type { ChannelPayer } from '@avm402/avm/batch-settlement/client';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';
import { describe, expect, it, vi } from 'vitest';
import { BuyerChannel } from '../../src/channels/buyer-channel.ts';
import type { ChannelBook } from '../../src/channels/channel-book.ts';
import type { ChannelRecord } from '../../src/channels/channel-record.ts';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { askToClose } from '../../src/channels/close-channel.ts';
import { OwnGroup } from '../../src/channels/own-group.ts';
import { payerChannels } from '../../src/channels/payer-channels.ts';
import { asking } from '../seller.ts';
import {
  channelOf,
  deposit,
  nodeThat,
  offered,
  othersTurn,
  recordOf,
  type Shown,
  spendingThat,
} from './channel-parts.ts';

const OPEN = { state: 'open' } as const;
const { expiry } = recordOf().config;
const refusal = new AlgorandError('algod_refused', 'overspend');

interface Setting {
  readonly shown: Shown;
  readonly records?: readonly Partial<ChannelRecord>[];
  readonly refuse?: () => void;
  /** Happens at each pause. */
  readonly pause?: (shown: Shown, pauses: number) => void;
  readonly answer?: () => Promise<Response>;
  readonly isWithoutNode?: boolean;
  readonly recoverMs?: number;
}

/** A payer with channels, whose time passes in pauses only. */
function paying({ shown, records = [{}], refuse, pause, answer, isWithoutNode = false, recoverMs = 1_000 }: Setting) {
  const channels = records.map((change) => channelOf(change));
  const { algod: node, sent } = nodeThat(shown, refuse);
  const asked: bigint[] = [];
  const opening = new Map([
    ['block', new Map([['txns', [new Map([['lsig', new Map([['l', channelProgram(recordOf().config)]])]])]]])],
  ]);
  const block = async (round: bigint) => (asked.push(round), round === 3n ? opening : new Map());
  const algod = Object.assign(node, { status: async () => ({ lastRound: 4n }), block });
  const { spending, returned, happened } = spendingThat(OPEN);
  const clock = { ms: 0 };
  const pauses: number[] = [];
  const book = {
    load: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      happened.push('load book');
    },
    // Nothing is known before it is read.
    all: () => (happened.includes('load book') ? channels : []),
    add: async () => (happened.push('add'), channels[0]),
  } as unknown as ChannelBook;
  const group = (name: string) => async () => {
    happened.push(`${name}, ${channels[0]?.record.state}`);
    return [new Uint8Array([1, 2]), new Uint8Array([3])];
  };
  const owned = payerChannels({
    book,
    payer: {
      address: recordOf().config.payer,
      refund: group('refund'),
      takeOver: group('take over'),
    } as unknown as ChannelPayer,
    spending,
    algodOf: () => (isWithoutNode ? undefined : algod),
    fetch: answer ?? (async () => new Response('{}')),
    sleep: async (ms) => {
      pauses.push(ms);
      clock.ms += ms;
      pause?.(shown, pauses.length);
    },
    recoverMs,
    now: () => clock.ms,
  });
  const [first] = channels;
  if (!first) throw new Error('no channel');
  const { id } = first;
  return { owned, id, asked, channels, sent, returned, happened, pauses, first };
}

describe('the channels of a payer', () => {
  it('are listed until they are closed, with the money in each', async () => {
    const { owned, id, happened } = paying({
      shown: { round: 5n },
      records: [
        { charged: 30n, signed: 40n, signedUpTo: 40n },
        { state: 'closed' },
        { state: 'closing', deposits: [deposit('A'), deposit('B', { settled: false })], signed: 7n, signedUpTo: 9n },
      ],
    });
    const [open, closing, ...none] = await owned.list();
    const { config, network } = recordOf();
    const facts = { id, network, config, url: 'https://shop.example/news', deposited: 1_000n };
    expect(open).toEqual({ ...facts, state: 'open', charged: 30n, claimable: 40n });
    expect(closing).toEqual({ ...facts, state: 'closing', charged: 0n, claimable: 9n });
    expect([none, happened]).toEqual([[], ['load book']]);
  });

  it('are on record, or are neither closed nor recovered', async () => {
    const { owned, happened } = paying({ shown: { round: 5n } });
    await expect(owned.close('X')).rejects.toMatchObject({
      code: 'channel_unavailable',
      message: 'X is not on record',
    });
    await expect(owned.recover('X')).rejects.toMatchObject({ code: 'channel_unavailable' });
    expect(happened).toEqual(['load book', 'load book']);
  });

  it('can’t be looked at without a node', async () => {
    const { owned, id } = paying({ shown: { round: 5n }, isWithoutNode: true });
    await expect(owned.recover(id)).rejects.toMatchObject({ code: 'algod_not_configured' });
    await expect(owned.find('algorand:x', 1n)).rejects.toMatchObject({ code: 'algod_not_configured' });
  });

  it('stay open without a node, which alone could tell that they are closed', async () => {
    let asked = 0;
    const answer = async () => (asked++, new Response('{}'));
    const { owned, id, first } = paying({ shown: { round: 5n }, isWithoutNode: true, answer });
    await expect(owned.close(id)).rejects.toMatchObject({ code: 'algod_not_configured' });
    expect([first.record.state, asked]).toEqual(['open', 0]);
  });
});

describe('a recovery', () => {
  it.each<[string, Shown, object]>([
    ['what the seller may claim until the expiry', { round: expiry, balance: 900n }, { round: expiry, balance: 900n }],
    ['nothing while it is empty, and a deposit may come', { round: expiry + 1n }, { round: expiry + 1n, balance: 0n }],
  ])('leaves in the channel %s', async (_name, shown, left) => {
    const deposits = shown.balance === undefined ? [deposit('B', { settled: false })] : [deposit('A')];
    const { owned, id, sent, first, pauses } = paying({ shown, records: [{ deposits }] });
    expect(await owned.recover(id)).toEqual({ state: 'open', expiry, ...left });
    expect([sent, pauses, first.record.state]).toEqual([[], [], 'open']);
  });

  it('takes everything by one group after the expiry, and looks every 250 ms whether it is there', async () => {
    const { owned, id, sent, happened, pauses, returned, first } = paying({
      shown: { round: expiry + 1n, balance: 900n },
      pause: (shown, count) => {
        if (count === 2) shown.balance = undefined;
      },
    });
    expect(await owned.recover(id)).toEqual({ state: 'closed' });
    expect([sent, pauses, first.record.state]).toEqual([[new Uint8Array([1, 2, 3])], [250, 250], 'closed']);
    expect([happened, returned]).toEqual([['load book', 'refund, closing', 'load'], [['A', 1_000n]]]);
  });

  it('takes by one group what a close has handed over', async () => {
    const { owned, id, sent, happened } = paying({
      shown: { round: 5n, balance: 900n, isHandedOver: true },
      pause: (shown, count) => {
        if (count === 2) shown.balance = undefined;
      },
    });
    expect(await owned.recover(id)).toEqual({ state: 'closed' });
    expect([sent.length, happened]).toEqual([1, ['load book', 'take over, closing', 'load']]);
  });

  it('says at the end of its time what is left, and nothing is paid with the channel any more', async () => {
    const { owned, id, pauses, sent, first } = paying({ shown: { round: expiry + 1n, balance: 900n } });
    expect(await owned.recover(id)).toEqual({ state: 'open', balance: 900n, expiry, round: expiry + 1n });
    expect([pauses, sent.length, first.record.state]).toEqual([[250, 250, 250, 250], 1, 'closing']);
  });

  it('finds a channel that is paid out, and records it', async () => {
    const { owned, id, returned, sent } = paying({
      shown: { round: 5n },
      records: [{ signed: 400n, signedUpTo: 400n }],
    });
    expect(await owned.recover(id)).toEqual({ state: 'closed' });
    expect([returned, sent]).toEqual([[['A', 600n]], []]);
  });

  it.each([
    ['once before the expiry', expiry, []],
    ['each time after it', expiry + 1n, ['refund, closing', 'load', 'learn B', 'look', 'load', 'learn B', 'look']],
  ])('asks about a deposit under way before it looks at the channel: %s', async (_name, round, later) => {
    const shown = {
      round,
      get balance() {
        if (happened.at(-1) !== 'look') happened.push('look');
        return 1_000n;
      },
    };
    const deposits = [deposit('A'), deposit('B', { settled: false })];
    const { owned, id, happened } = paying({ shown, records: [{ deposits }], recoverMs: 250 });
    await owned.recover(id);
    expect(happened).toEqual(['load book', 'load', 'learn B', 'look', ...later]);
  });

  it('whose group is refused tells why after two more rounds', async () => {
    const refuse = (): void => {
      throw refusal;
    };
    const { owned, id, pauses, sent } = paying({
      shown: { round: expiry + 1n, balance: 900n },
      refuse,
      pause: (shown) => void shown.round++,
    });
    await expect(owned.recover(id)).rejects.toBe(refusal);
    expect([pauses.length, sent.length]).toEqual([2, 1]);
  });
});

it('channels that are found on chain are put on record where they still hold something', async () => {
  for (const [balance, count] of [
    [5n, 1],
    [undefined, 0],
  ] as const) {
    const { owned, id, happened, asked } = paying({ shown: { round: 5n, balance } });
    const found = await owned.find('algorand:x', 3n);
    expect(found.map((view) => view.id)).toEqual(count === 1 ? [id] : []);
    expect([happened, asked]).toEqual([count === 1 ? ['load book', 'add'] : ['load book'], [3n, 4n]]);
  }
});

describe('a group of the payer’s own', () => {
  const sign = async () => [new Uint8Array([1])];

  it('is sent once, and asked for no more than that', async () => {
    const { algod, sent } = nodeThat({ round: 1n });
    const own = new OwnGroup(algod);
    let signed = 0;
    for (let time = 0; time < 2; time++) await own.send(async () => (signed++, sign()));
    expect([signed, sent.length]).toEqual([1, 1]);
    expect(() => own.checkAt(100n, true)).not.toThrow();
  });

  it.each<[bigint, boolean, boolean]>([
    [11n, false, false],
    [12n, false, true],
    [13n, false, true],
    [10n, true, true],
  ])(
    'that is found refused in round 10 has failed in round %s (the last look: %s): %s',
    async (round, isLast, hasFailed) => {
      const own = new OwnGroup(
        nodeThat({ round: 1n }, () => {
          throw refusal;
        }).algod,
      );
      await own.send(sign);
      if (!isLast) own.checkAt(10n, false);
      const check = (): void => own.checkAt(round, isLast);
      if (hasFailed) expect(check).toThrow(refusal);
      else expect(check).not.toThrow();
    },
  );

  it('that was signed for longer than blocks take has failed blocks after the first look since its refusal', async () => {
    const own = new OwnGroup(
      nodeThat({ round: 1n }, () => {
        throw refusal;
      }).algod,
    );
    await own.send(sign);
    for (const round of [15n, 16n]) expect(() => own.checkAt(round, false)).not.toThrow();
    expect(() => own.checkAt(17n, false)).toThrow(refusal);
  });

  it('that may have arrived is told as what it is', async () => {
    const error = new AlgorandError('algod_unreachable', 'gone');
    const own = new OwnGroup(
      nodeThat({ round: 1n }, () => {
        throw error;
      }).algod,
    );
    await expect(own.send(sign)).rejects.toBe(error);
    expect(() => own.checkAt(100n, true)).not.toThrow();
  });
});

describe('a seller that is asked to close', () => {
  const opened = { method: 'PUT', url: 'https://shop.example/news', requirements: offered() };

  /** Asks a seller that answers so; what it was asked, and whether the channel is closing by then. */
  async function asked(answer: (signal?: AbortSignal | null) => Promise<Response>, timeoutMs = 60_000) {
    const channel = channelOf({ opened });
    const seen: { url: unknown; init: RequestInit | undefined; state: string }[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      seen.push({ url, init, state: channel.record.state });
      return answer(init?.signal);
    };
    const outcome = await askToClose(channel, opened, { fetch, timeoutMs }).catch((error: unknown) => error);
    return { outcome, seen, channel };
  }

  it('gets the payer’s order at the URL that the channel was opened at, and no redirect is followed', async () => {
    const { seen, channel } = await asked(async () => new Response('{}'));
    const [only] = seen;
    expect(only).toMatchObject({ url: opened.url, init: { method: 'PUT', redirect: 'manual' }, state: 'closing' });
    const header = new Headers(only?.init?.headers).get('PAYMENT-SIGNATURE') ?? '';
    expect(decodePaymentSignatureHeader(header)).toMatchObject({
      x402Version: 2,
      accepted: opened.requirements,
      payload: { type: 'refund', authorization: Buffer.from(channel.signClose()).toString('base64') },
    });
  });

  it.each([
    [200, undefined],
    [299, undefined],
    [503, undefined],
    [502, 'status 502'],
    [504, 'status 504'],
    [404, 'status 404'],
    [307, 'status 307'],
  ])('closes with the status %s, or says why not: %s', async (status, why) => {
    const { outcome, channel } = await asked(async () => new Response('{}', { status }));
    const message = `the seller does not close channel ${channel.id}: ${why}`;
    expect(outcome).toEqual(
      why === undefined ? undefined : expect.objectContaining({ code: 'channel_unavailable', message }),
    );
  });

  it('is not asked, and the channel stays open, where the key for the order is not at hand', async () => {
    const channel = new BuyerChannel({ record: recordOf(), store: memoryChannelStore(), signer: undefined });
    const fetch = vi.fn<typeof globalThis.fetch>();
    await expect(askToClose(channel, opened, { fetch, timeoutMs: 1 })).rejects.toMatchObject({
      code: 'channel_unavailable',
    });
    expect([fetch.mock.calls, channel.record.state]).toEqual([[], 'open']);
  });

  it('has the body of its answer read away, so that its connection is free', async () => {
    let taken = 0;
    const pull = (controller: ReadableStreamDefaultController): void => {
      taken++;
      controller.close();
    };
    await asked(async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })));
    await vi.waitFor(() => expect(taken).toBe(1));
  });

  it('is believed as to the reason of its 402', async () => {
    const { headers = {} } = asking([offered()], { error: 'invalid_batch_settlement_avm_channel_not_found' });
    const { outcome } = await asked(async () => new Response('{}', { status: 402, headers }));
    expect(Object(outcome).message).toContain(': invalid_batch_settlement_avm_channel_not_found');
  });

  it('fails as the connection does', async () => {
    const error = new TypeError('fetch failed');
    expect((await asked(() => Promise.reject(error))).outcome).toBe(error);
  });

  it('has its time to answer, after which the chain is asked; no timer is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let hasEnded = false;
      const ended = asked((signal) => aborted(signal), 500).finally(() => (hasEnded = true));
      // The channel is closing on record first.
      await othersTurn();
      await othersTurn();
      await vi.advanceTimersByTimeAsync(499);
      expect(hasEnded).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await ended).outcome).toBeUndefined();
      await asked(async () => new Response(null));
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

function aborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}
