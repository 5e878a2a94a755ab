import { X402Error } from '@avm402/core/errors';
import { channelId } from '@avm402/avm/batch-settlement';
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@avm402/core/headers';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { SettleResponse } from '@avm402/core/settle-response';
import { describe, expect, it } from 'vitest';
import type { ChannelBook } from '../../src/channels/channel-book.ts';
import type { ChannelRecord } from '../../src/channels/channel-record.ts';
import { type ChannelRequestsOptions, ChannelRequests } from '../../src/channels/channel-request.ts';
import { readRequest } from '../../src/http/replayable-request.ts';
import type { ChosenOffer } from '../../src/offers/choose-offer.ts';
import type { PaymentOutcome } from '../../src/own-node/payment-outcome.ts';
import { accounts } from '../chain.ts';
import { channelOf, deposit, nodeThat, offered, recordOf, type Shown, spendingThat } from './channel-parts.ts';

const REASON = 'invalid_batch_settlement_avm_';
const requirements = offered();
const url = new URL('https://shop.example/news');
const required = { x402Version: 2, accepts: [requirements], resource: { url: url.href } } as const;
const offer = { url, required, requirements, price: '$0.00001', sponsored: true } as unknown as ChosenOffer;
const id = channelId(recordOf().config);

interface Setting {
  readonly answer: (count: number) => Response;
  readonly record?: Partial<ChannelRecord>;
  readonly shown?: Shown;
  readonly outcome?: (learned: number) => PaymentOutcome | Promise<PaymentOutcome>;
  readonly topUp?: () => never;
  readonly options?: Partial<ChannelRequestsOptions>;
}

/** A buyer of one channel, whose time passes in pauses only, and what its seller gets. */
function buying({ answer, record, shown = { round: 5n, balance: 1_000n }, outcome, topUp, options }: Setting) {
  const channel = channelOf(record);
  const headers: string[] = [];
  const clock = { ms: 0 };
  const pauses: number[] = [];
  const remembered: string[] = [];
  let learned = 0;
  const { spending } = spendingThat({ state: 'open' });
  const learn = async () => outcome?.(++learned) ?? ({ state: 'open' } as const);
  const book = {
    withDeposit: (chosen: ChosenOffer) => chosen,
    channelFor: async () => channel,
    find: () => channel,
    topUp: async () => (topUp ? topUp() : Promise.reject(new Error('nothing is added'))),
  } as unknown as ChannelBook;
  const requests = new ChannelRequests({
    book,
    spending: Object.assign(spending, { learn }),
    algodOf: () => nodeThat(shown).algod,
    random: (length) => new Uint8Array(length),
    onOffer: undefined,
    remembered: {
      remember: (method: string) => remembered.push(`remember ${method}`),
      forget: (method: string, href: string) => remembered.push(`forget ${method} ${href}`),
    } as unknown as ChannelRequestsOptions['remembered'],
    fetch: async (_url, init) => {
      headers.push(new Headers(init?.headers).get('PAYMENT-SIGNATURE') ?? '');
      return answer(headers.length);
    },
    recoverMs: 0,
    now: () => clock.ms,
    sleep: async (ms) => {
      pauses.push(ms);
      clock.ms += ms;
    },
    ...options,
  });
  const pay = async () => requests.pay(await readRequest(url.href), offer);
  const amounts = () =>
    headers.map((header) => Number(Object(decodePaymentSignatureHeader(header).payload['voucher']).maxClaimableAmount));
  return { channel, requests, pay, headers, amounts, clock, pauses, remembered };
}

function receipt(cost: bigint, channel = id): Record<string, string> {
  const extra = { chargedAmount: `${cost}`, channelState: { channelId: channel } };
  const said: SettleResponse = { success: true, transaction: '', network: requirements.network, extra };
  return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(said) };
}

function paid(cost: bigint, channel = id): Response {
  return new Response('', { headers: receipt(cost, channel) });
}

/** A 402 for this reason; the receipt of a settlement that failed for `said`. */
function refusing(error?: string, change: Partial<PaymentRequirements> = {}, said?: string): Response {
  const accepts = [{ ...requirements, ...change }];
  const failed: SettleResponse = {
    success: false,
    transaction: '',
    network: requirements.network,
    ...(said && { errorReason: said }),
  };
  const headers = {
    'PAYMENT-REQUIRED': encodePaymentRequiredHeader({ ...required, accepts, ...(error !== undefined && { error }) }),
    ...(said !== undefined && { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(failed) }),
  };
  return new Response('{}', { status: 402, headers });
}

const STREAM = { 'Content-Type': 'text/event-stream' };

describe('a voucher over 10', () => {
  it.each<[string, Response, object, object]>([
    ['a receipt over 7', paid(7n), { charged: 7n }, { settlement: expect.anything() }],
    ['a receipt over nothing', paid(0n), { charged: 0n }, {}],
    ['a receipt over all', paid(10n), { charged: 10n }, {}],
    [
      'a receipt over more',
      paid(11n),
      { charged: 10n },
      {
        problem: expect.objectContaining({
          code: 'charge_above_maximum',
          message: 'the receipt says 11, the offer 10 at most',
        }),
      },
    ],
    ['another channel’s receipt', paid(7n, 'X'), { doubtful: 10n }, { settlement: undefined }],
    ['no receipt', new Response('', { status: 500 }), { doubtful: 10n }, { settlement: undefined, problem: undefined }],
    ['a bare 402', new Response('', { status: 402 }), {}, { problem: undefined }],
    ['a paid 402', new Response('', { status: 402, headers: receipt(7n) }), { charged: 7n }, { problem: undefined }],
    [
      'a stream',
      new Response('data', { headers: { ...STREAM, ...receipt(7n) } }),
      { charged: 7n, underWay: [{ id: 10n, maximum: 3n }] },
      {},
    ],
    [
      'a broken stream',
      new Response('data', { status: 500, headers: { ...STREAM, ...receipt(7n) } }),
      { charged: 7n },
      {},
    ],
  ])('that is answered by %s', async (_name, response, spending, told) => {
    const { pay, channel } = buying({ answer: () => response });
    const outcome = await pay();
    expect(outcome).toMatchObject({ do: 'done', response: { status: response.status } });
    expect(channel.spending).toEqual({
      deposit: 1_000n,
      charged: 0n,
      signed: 10n,
      doubtful: 0n,
      underWay: [],
      ...spending,
    });
    for (const [name, value] of Object.entries(told)) expect(Reflect.get(outcome, name)).toEqual(value);
  });

  it('for a stream is in doubt about the rest once the stream has ended', async () => {
    const { pay, channel } = buying({ answer: () => new Response('data', { headers: { ...STREAM, ...receipt(7n) } }) });
    await (await pay()).response.text();
    expect(channel.spending).toMatchObject({ charged: 7n, doubtful: 3n, underWay: [] });
  });

  it.each<[string, Partial<PaymentRequirements>]>([
    ['scheme', { scheme: 'exact' }],
    ['network', { network: ALGORAND_TESTNET }],
    ['asset', { asset: '11' }],
    ['amount', { amount: '11' }],
    ['receiver', { payTo: accounts.payer.address }],
  ])('that was served is remembered, and forgotten where the seller offers another %s', async (_name, change) => {
    const { pay, remembered } = buying({
      answer: (count) => (count === 1 ? paid(7n) : refusing('x', change)),
    });
    await pay();
    expect((await pay()).do).toBe('read');
    expect(remembered).toEqual(['remember GET', `forget GET ${url.href}`]);
  });

  it('is the same offer whatever its extra says', async () => {
    const { pay, remembered } = buying({ answer: () => refusing('x', { extra: { ...requirements.extra, more: 1 } }) });
    expect([(await pay()).do, remembered]).toEqual(['done', []]);
  });

  it('is still made where its seller has begun to make others, too', async () => {
    const accepts = [{ ...requirements, amount: '11' }, requirements];
    const header = encodePaymentRequiredHeader({ ...required, accepts, error: 'x' });
    const response = new Response('{}', { status: 402, headers: { 'PAYMENT-REQUIRED': header } });
    const { pay, remembered } = buying({ answer: () => response });
    expect([(await pay()).do, remembered]).toEqual(['done', []]);
  });
});

describe('a refusal', () => {
  it.each<[string, Response]>([
    ['no_such_reason', refusing('no_such_reason')],
    ['channel_disputed', refusing(`${REASON}channel_disputed`)],
    ['no reason', refusing()],
    ['invalid_exact_avm_signature', refusing('other', {}, 'invalid_exact_avm_signature')],
  ])('for %s ends its request, and leaves the channel alone for five seconds', async (reason, response) => {
    const { pay, channel, requests, clock, headers } = buying({ answer: () => response });
    const why = `the seller does not take channel ${id}: ${reason}`;
    expect(await pay()).toMatchObject({ do: 'done', problem: { code: 'channel_unavailable', message: why } });
    expect([channel.refusedAt(4_999), channel.refusedAt(5_000)]).toEqual([why, undefined]);
    expect(requests.isReady(offer)).toBe(false);
    await expect(pay()).rejects.toMatchObject({ code: 'channel_unavailable', message: why });
    clock.ms = 5_000;
    expect(requests.isReady(offer)).toBe(true);
    expect(headers).toHaveLength(1);
  });

  it.each(['channel_busy', 'cumulative_amount_mismatch'])(
    'for %s is followed by three more vouchers',
    async (reason) => {
      const { pay, amounts } = buying({ answer: () => refusing(REASON + reason) });
      expect(await pay()).toMatchObject({ do: 'done', problem: { code: 'channel_unavailable' } });
      expect(amounts()).toEqual([10, 11, 12, 13]);
    },
  );

  it('that corrects a voucher is followed by another, though the deposit that both bring is not settled yet', async () => {
    const { pay, amounts } = buying({
      record: { deposits: [deposit('A', { settled: false })] },
      shown: { round: 5n },
      answer: (count) => (count === 1 ? refusing(`${REASON}cumulative_amount_mismatch`) : paid(7n)),
    });
    expect(await pay()).toMatchObject({ do: 'done', settlement: { success: true } });
    expect(amounts()).toEqual([10, 11]);
  });

  it.each(['channel_not_found', 'channel_closed', 'channel_expiring'])(
    'for %s where the chain agrees is followed by others',
    async (reason) => {
      const { pay, channel, headers } = buying({ answer: () => refusing(REASON + reason), shown: { round: 5n } });
      await pay().catch(() => undefined);
      expect([channel.record.state, headers.length]).toEqual(['closed', 4]);
    },
  );

  it.each([
    ['channel_not_found', ['1000']],
    ['cumulative_exceeds_balance', ['500']],
    ['channel_closed', []],
    ['channel_expiring', []],
  ])(
    'for %s where the chain says otherwise is followed by the deposit only where it was forgotten: %j',
    async (reason, shown) => {
      const record = { deposits: [deposit('A'), deposit('B', { amount: 500n })] };
      const { pay, headers, channel } = buying({ record, answer: () => refusing(REASON + reason) });
      expect(await pay()).toMatchObject({ problem: { code: 'channel_unavailable' } });
      const sent = headers.map((header) => Object(decodePaymentSignatureHeader(header).payload['deposit']).amount);
      expect(sent).toEqual([undefined, ...shown]);
      expect(channel.record.state).toBe('open');
    },
  );

  it('with charges that nobody signed for is a lie, whatever its reason', async () => {
    const channelState = { channelId: id, chargedCumulativeAmount: '900' };
    const { pay, headers } = buying({
      answer: () => refusing(`${REASON}channel_busy`, { extra: { ...requirements.extra, channelState } }),
    });
    const message = 'the seller reports charges that were not signed for';
    expect(await pay()).toMatchObject({ problem: { code: 'channel_unavailable', message } });
    expect(headers).toHaveLength(1);
  });
});

describe('a request whose answer is lost', () => {
  const lost = (): Response => {
    throw new TypeError('fetch failed');
  };

  it('is in doubt, says what it may cost, and is asked again with the same voucher, which then counts once', async () => {
    const { pay, channel, headers, requests } = buying({
      answer: (count) => (count === 1 ? lost() : paid(7n)),
    });
    const message = `the resource did not answer; it may charge channel ${id} at most 10`;
    await expect(pay()).rejects.toMatchObject({
      code: 'payment_outcome_unknown',
      message,
      details: { channel: id, amount: '10' },
    });
    expect(channel.spending).toMatchObject({ charged: 0n, doubtful: 10n });
    expect(requests.heldFor(await readRequest(url.href))).toBe(offer);
    expect(await pay()).toMatchObject({ settlement: { success: true } });
    expect([new Set(headers).size, headers.length]).toEqual([1, 2]);
    expect(channel.spending).toMatchObject({ charged: 7n, doubtful: 0n });
    expect(requests.heldFor(await readRequest(url.href))).toBeUndefined();
  });

  it.each<[string, Partial<Setting>]>([
    ['', {}],
    [
      ' whether or not the own node tells of its deposit',
      { record: { deposits: [deposit('B', { settled: false })] }, outcome: () => new Promise(() => {}) },
    ],
  ])('because its caller has no time left ends as the caller says%s, and is kept all the same', async (_, setting) => {
    const caller = new AbortController();
    const reason = new Error('too late');
    const { requests, channel } = buying({ answer: () => (caller.abort(reason), lost()), ...setting });
    const request = await readRequest(url.href, { signal: caller.signal });
    await expect(requests.pay(request, offer)).rejects.toBe(reason);
    expect(channel.spending.doubtful).toBe(10n);
    expect(requests.heldFor(request)).toBe(offer);
  });

  it.each([
    ['the response that was paid for', 200, offer],
    ['an error that nobody charged', 404, undefined],
  ])('in the middle of its body is kept only where it is %s', async (_what, status, kept) => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    const { pay, requests } = buying({ answer: () => new Response(broken, { status }) });
    const outcome = await pay();
    await expect('response' in outcome && outcome.response.text()).rejects.toThrow('terminated');
    expect(requests.heldFor(await readRequest(url.href))).toBe(kept);
  });

  it('names the deposit that went with it', async () => {
    const deposits = [deposit('B', { settled: false })];
    const { pay, channel } = buying({ answer: lost, record: { deposits }, shown: { round: 5n } });
    await expect(pay()).rejects.toMatchObject({
      code: 'payment_outcome_unknown',
      details: { channel: id, amount: '10', transaction: 'B' },
    });
    expect(channel.refusedAt(0)).toBe('the deposit B is not settled yet');
    expect([channel.refusedAt(4_999) !== undefined, channel.refusedAt(5_000)]).toEqual([true, undefined]);
    expect(channel.depositing).toBeUndefined();
  });

  it('has cost nothing where its deposit has expired', async () => {
    const { pay, channel } = buying({
      answer: lost,
      record: { deposits: [deposit('B', { settled: false })] },
      outcome: () => ({ state: 'expired' }),
    });
    const message = 'the resource did not answer; the deposit B expired, so nothing was paid';
    await expect(pay()).rejects.toMatchObject({ code: 'request_failed', message, details: { transaction: 'B' } });
    expect(channel.record.state).toBe('closed');
  });
});

describe('a request that needs more than a deposit under way', () => {
  const full = { deposits: [deposit('B', { amount: 5n, settled: false })] };

  it('looks for it every 250 ms, for five seconds', async () => {
    const { pay, pauses, headers, channel } = buying({
      answer: () => new Response(''),
      record: full,
      shown: { round: 5n },
    });
    const message = 'the deposit B is used up, and your node has not seen it yet';
    await expect(pay()).rejects.toMatchObject({ code: 'channel_unavailable', message });
    expect(pauses).toEqual(Array.from({ length: 20 }, () => 250));
    expect([headers, channel.depositing]).toEqual([[], undefined]);
  });

  it('ends when its caller gives up, whether the own node answers or not', async () => {
    const caller = new AbortController();
    const outcome = () => new Promise<PaymentOutcome>(() => caller.abort(new Error('too late')));
    const { requests, channel } = buying({ answer: () => new Response(''), record: full, outcome });
    const request = await readRequest(url.href, { signal: caller.signal });
    await expect(requests.pay(request, offer)).rejects.toThrow('too late');
    expect(channel.depositing).toBeUndefined();
  });

  it('goes on as soon as the own node has seen it', async () => {
    const { pay, pauses, channel } = buying({
      answer: () => new Response(''),
      record: full,
      outcome: (learned) => (learned < 3 ? { state: 'open' } : { state: 'confirmed', round: 5n }),
      shown: { round: 5n },
    });
    // It needs another one, which it asks the book for.
    await expect(pay()).rejects.toThrow('nothing is added');
    expect([pauses, channel.spending.deposit]).toEqual([[250, 250], 5n]);
  });
});

it.each<[string, X402Error, asked: number]>([
  ['that declines is asked once for all requests that wait', new X402Error('signer_failed'), 1],
  ['whose owner declines the offer is asked once', new X402Error('offer_declined'), 1],
  ['that could not be reached is asked for each of them', new X402Error('store_unavailable'), 3],
])('a wallet %s', async (_what, error, times) => {
  let asked = 0;
  const topUp = (): never => {
    asked++;
    throw error;
  };
  const record = { deposits: [deposit('A', { amount: 5n })] };
  const { pay } = buying({ answer: () => new Response(''), record, topUp });
  const refused = expect.objectContaining({ reason: error });
  expect(await Promise.allSettled([pay(), pay(), pay()])).toEqual([refused, refused, refused]);
  expect(asked).toBe(times);
});

it.each([
  [10n, true],
  [9n, false],
])('a channel with room for %s is ready for a request over 10: %s', (amount, isReady) => {
  const { requests } = buying({ answer: () => new Response(''), record: { deposits: [deposit('A', { amount })] } });
  expect(requests.isReady(offer)).toBe(isReady);
});
