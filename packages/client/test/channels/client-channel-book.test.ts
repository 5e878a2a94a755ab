import type { ChannelPayer } from '@avm402/avm/batch-settlement/client';
import { channelId } from '@avm402/avm/batch-settlement';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { describe, expect, it, test } from 'vitest';
import { SpendPolicy } from '../../src/budget/spend-policy.ts';
import type { Spending } from '../../src/budget/spending.ts';
import { ChannelBook, type ChannelBookOptions } from '../../src/channels/channel-book.ts';
import type { ChannelRecord } from '../../src/channels/channel-record.ts';
import { DepositPolicy } from '../../src/channels/deposit-policy.ts';
import type { ChosenOffer } from '../../src/offers/choose-offer.ts';
import { accounts } from '../chain.ts';
import { deposit, offered, recordOf, signer, slowStore } from './channel-parts.ts';

const { network } = recordOf();
const ORIGIN = 'https://shop.example';
const assets = [{ network, asset: '10458941', limits: { perPayment: 900n } }];
const policy = new SpendPolicy({ assets });

/** A book whose payer signs deposits without a node, and what happens in its order. */
async function keeping(
  records: readonly ChannelRecord[] = [],
  options: Partial<ChannelBookOptions> = {},
  isLoaded = true,
) {
  const store = slowStore();
  for (const record of records) await store.write(record);
  const happened: string[] = [];
  const { config } = recordOf();
  const payer = {
    address: config.payer,
    sessionKey: () => signer,
    newChannel: async () => (happened.push('new channel'), { config, seed: new Uint8Array(32) }),
    deposit: async (
      _config: unknown,
      _offer: unknown,
      { kind, amount, earlier }: { kind: string; amount: bigint; earlier: number },
    ) => {
      happened.push(`${kind} ${amount} after ${earlier}`);
      return {
        txId: `TX ${amount}`,
        groupTxIds: ['G'],
        groupId: 'ID',
        firstValid: 3n,
        lastValid: 4n,
        paymentGroup: [new Uint8Array(1)],
      };
    },
  } as unknown as ChannelPayer;
  const spending = {
    reserve: ({ amount }: { amount: bigint }, origin: string) => {
      happened.push(`reserve ${amount} at ${origin}`);
      return {
        commit: async (payment: object) =>
          void happened.push(
            `commit ${JSON.stringify(payment, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
          ),
        release: () => happened.push('release'),
      };
    },
  } as unknown as Spending;
  const deposits = new DepositPolicy(policy, { depositMultiple: 20 });
  const clock = { ms: 5 };
  const book = new ChannelBook({
    payer,
    store,
    deposits,
    spending,
    now: () => clock.ms,
    onOffer: undefined,
    onPayment: undefined,
    ...options,
  });
  if (isLoaded) await book.load();
  return { book, store, happened, clock };
}

function offerOf(requirements: PaymentRequirements, path = '/news?token=x'): ChosenOffer {
  return { url: new URL(path, ORIGIN), requirements } as unknown as ChosenOffer;
}

const money = (amount: bigint) => ({ network, asset: '10458941', amount });

describe('what paying an offer takes', () => {
  it.each<[string, readonly ChannelRecord[], object]>([
    ['a deposit where there is no channel', [], money(200n)],
    ['nothing where a channel has room', [recordOf()], money(0n)],
    [
      'nothing where a deposit is on its way',
      [recordOf({ deposits: [deposit('A', { amount: 1n, settled: false })] })],
      money(0n),
    ],
    ['a deposit where a channel is full', [recordOf({ deposits: [deposit('A', { amount: 9n })] })], money(200n)],
    ['a deposit where a channel is closing', [recordOf({ state: 'closing' })], money(200n)],
  ])('is %s', async (_name, records, outlay) => {
    const { book } = await keeping(records);
    expect(book.outlay(offered(), ORIGIN)).toEqual(outlay);
  });

  it('is nothing while a channel is refused: its reason is told, until it is over', async () => {
    const { book, clock } = await keeping([recordOf()]);
    book.find(offered(), ORIGIN)?.refuse('it is busy', clock.ms);
    expect(book.outlay(offered(), ORIGIN)).toEqual({ kind: 'policy', reason: 'it is busy' });
    clock.ms += 5_000;
    expect(book.outlay(offered(), ORIGIN)).toEqual(money(0n));
  });

  it('is shown with an offer only where it is something', async () => {
    const { book } = await keeping();
    const full = await keeping([recordOf()]);
    const chosen = { ...offerOf(offered()), deposit: { amount: 1n } } as unknown as ChosenOffer;
    expect(book.withDeposit(chosen).deposit?.amount).toBe(200n);
    expect('deposit' in full.book.withDeposit(chosen)).toBe(false);
    const strange = { ...chosen, requirements: offered(0n, { extra: {} }) };
    expect('deposit' in book.withDeposit(strange)).toBe(false);
  });

  it.each<[string, bigint, bigint, unknown]>([
    ['as often as the price fits into it', 10n, 0n, 200n],
    ['the seller’s least, where that is more', 10n, 900n, 900n],
    ['the limit, where that is less', 50n, 0n, 900n],
    ['nothing where the least is above the limit', 10n, 901n, expect.stringContaining('901')],
  ])('is %s', async (_name, price, minDeposit, amount) => {
    const { book } = await keeping();
    const { extra, ...rest } = offered(2_000n, { amount: `${price}` });
    const outlay = book.outlay({ ...rest, extra: { ...extra, minDeposit: `${minDeposit}` } }, ORIGIN);
    expect('reason' in outlay ? outlay.reason : outlay.amount).toEqual(amount);
  });
});

test('a policy that fails is no limit: its error reaches whoever asks for a deposit', async () => {
  const failing = { costOf: () => JSON.parse('no JSON') as undefined } as unknown as SpendPolicy;
  const deposits = new DepositPolicy(failing, {});
  const { book } = await keeping([], { deposits });
  expect(() => book.outlay(offered(), ORIGIN)).toThrow(SyntaxError);
});

it('the account that holds its key pays with its channel, also after a wallet of it has read the store', async () => {
  const wallet = { address: recordOf().config.payer, sessionKey: () => undefined } as unknown as ChannelPayer;
  const store = slowStore();
  await store.write(recordOf());
  const byWallet = await keeping([], { store, payer: wallet });
  expect(byWallet.book.find(offered(), ORIGIN)).toBeUndefined();
  const [seen] = byWallet.book.all();
  const byKey = await keeping([], { store });
  expect(byKey.book.find(offered(), ORIGIN)?.canSign).toBe(true);
  // What the wallet's payer learns of it from then on, both know.
  await seen?.beginClosing();
  expect(byKey.book.find(offered(), ORIGIN)).toBeUndefined();
});

describe('the channel of an offer', () => {
  const other = accounts.payer2.address;

  it.each<[string, PaymentRequirements, string]>([
    ['asset', offered(2_000n, { asset: '11' }), ORIGIN],
    ['receiver', offered(2_000n, { payTo: other }), ORIGIN],
    ['closer', offered(2_000n, { extra: { ...offered().extra, receiverAuthorizer: other } }), ORIGIN],
    ['claim key', offered(2_000n, { extra: { ...offered().extra, claimAuthorizer: other } }), ORIGIN],
    ['funder', offered(2_000n, { extra: { ...offered().extra, funder: other } }), ORIGIN],
    ['origin', offered(), 'https://other.example'],
  ])('is not that of one with another %s', async (_name, requirements, origin) => {
    const { book } = await keeping([recordOf()]);
    expect(book.find(offered(), ORIGIN)?.id).toBe(channelId(recordOf().config));
    expect(book.find(requirements, origin)).toBeUndefined();
  });

  it('is the same at another price, or for longer', async () => {
    const { book } = await keeping([recordOf()]);
    expect(book.find(offered(5_000n, { amount: '77' }), ORIGIN)).toBeDefined();
  });

  it('is the one that was opened last', async () => {
    const salted = recordOf();
    const later = { ...salted, config: { ...salted.config, salt: new Uint8Array(16).fill(1) } };
    const { book } = await keeping([salted, later]);
    expect(book.find(offered(), ORIGIN)?.id).toBe(channelId(later.config));
  });

  it('is one that is open, is the payer’s own, and can be signed for', async () => {
    const salted = recordOf();
    const foreign = { ...salted, config: { ...salted.config, payer: other } };
    const { opened: _, ...found } = salted;
    for (const record of [foreign, recordOf({ state: 'closed' }), recordOf({ state: 'closing' }), found]) {
      const { book } = await keeping([record]);
      expect(book.find(offered(), ORIGIN)).toBeUndefined();
    }
    const { book: closed } = await keeping([foreign, recordOf({ state: 'closed' })]);
    expect(closed.all()).toEqual([]);
  });

  it('is opened once for all who ask, by a deposit that is on record before it is shown', async () => {
    const { book, store, happened } = await keeping();
    const [one, two] = await Promise.all([1, 2].map(() => book.channelFor(offerOf(offered()), 'PUT')));
    expect(one === two && one === (await book.channelFor(offerOf(offered()), 'GET'))).toBe(true);
    expect(happened.map((what) => what.split(' {')[0])).toEqual([
      `reserve 200 at ${ORIGIN}`,
      'new channel',
      'open 200 after 0',
      'commit',
    ]);
    const payment = JSON.parse(happened.at(-1)?.slice('commit '.length) ?? '{}');
    expect(payment).toEqual({
      txId: 'TX 200',
      groupTxIds: ['G'],
      groupId: 'ID',
      firstValid: '3',
      lastValid: '4',
      network,
      asset: '10458941',
      amount: '200',
      payTo: one?.id,
      payer: recordOf().config.payer,
      fee: '0',
      origin: ORIGIN,
      path: '/news',
      method: 'PUT',
      sentAt: 5,
    });
    const { opened, ...record } = (await store.read())[0] ?? recordOf();
    expect(opened).toEqual({ method: 'PUT', url: `${ORIGIN}/news`, requirements: offered() });
    expect(record).toMatchObject({ state: 'open', charged: 0n, signed: 0n, signedUpTo: 0n });
    expect(record.deposits).toMatchObject([{ txId: 'TX 200', amount: 200n, settled: false }]);
    expect('seed' in record).toBe(false);
  });

  it('is not opened on terms that nobody would take', async () => {
    const { book, happened } = await keeping();
    const strange = offerOf(offered(0n, { extra: {} }));
    await expect(book.channelFor(strange, 'GET')).rejects.toMatchObject({ code: 'channel_unavailable' });
    expect(happened).toEqual([]);
  });

  it('is not added to on such terms either', async () => {
    const { book, happened } = await keeping([recordOf()]);
    const channel = await book.channelFor(offerOf(offered()), 'GET');
    const strange = offerOf(offered(0n, { extra: {} }));
    await expect(book.topUp(channel, strange, 'GET')).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(happened).toEqual([]);
  });

  it('is read from the store before another is opened', async () => {
    const { book, happened } = await keeping([recordOf()], {}, false);
    expect((await book.channelFor(offerOf(offered()), 'GET')).record).toEqual(recordOf());
    expect(happened).toEqual([]);
  });

  it('is added to after the deposits that it had', async () => {
    const { book, happened, store } = await keeping([recordOf({ deposits: [deposit('A'), deposit('B')] })]);
    const channel = await book.channelFor(offerOf(offered()), 'GET');
    expect(await book.topUp(channel, offerOf(offered()), 'GET')).toMatchObject({
      txId: 'TX 200',
      amount: 200n,
      settled: false,
    });
    expect(happened[1]).toBe('top-up 200 after 2');
    expect((await store.read())[0]?.deposits.map(({ txId }) => txId)).toEqual(['A', 'B', 'TX 200']);
  });

  it('is opened only with the deposit that its owner has confirmed', async () => {
    const asked: unknown[] = [];
    const left: unknown[] = [];
    const onOffer = ({ deposit: shown }: ChosenOffer) => (asked.push(shown?.amount), asked.length < 3);
    const onPayment = ({ amount }: { amount: bigint }, { deposit: shown }: ChosenOffer) =>
      void left.push([amount, shown?.amount]);
    const { book, happened } = await keeping([recordOf()], { onOffer, onPayment });
    const channel = await book.channelFor(offerOf(offered()), 'GET');
    const shownAs = (amount: bigint) => ({ ...offerOf(offered()), deposit: { amount } }) as unknown as ChosenOffer;
    for (const offer of [shownAs(200n), shownAs(199n), offerOf(offered())]) await book.topUp(channel, offer, 'GET');
    expect([asked, left]).toEqual([
      [200n, 200n],
      [
        [200n, 200n],
        [200n, 200n],
        [200n, 200n],
      ],
    ]);
    const before = happened.length;
    await expect(book.topUp(channel, offerOf(offered()), 'GET')).rejects.toMatchObject({ code: 'offer_declined' });
    expect(happened).toHaveLength(before);
  });

  it('whose deposit can’t be put on record frees its budget, and gets no deposit', async () => {
    let released = 0;
    const commit = () => Promise.reject(new Error('the disk is full'));
    const spending = { reserve: () => ({ commit, release: () => released++ }) } as unknown as Spending;
    const { book, store } = await keeping([recordOf()], { spending });
    const channel = await book.channelFor(offerOf(offered()), 'GET');
    await expect(book.topUp(channel, offerOf(offered()), 'GET')).rejects.toThrow('the disk is full');
    expect([released, (await store.read())[0]?.deposits.length]).toEqual([1, 1]);
  });

  it('that is known stays as it is when it is found again', async () => {
    const { book, store } = await keeping([recordOf()]);
    const found = await book.add(recordOf({ state: 'closing', deposits: [] }));
    expect([found.record.state, (await store.read())[0]?.state]).toEqual(['open', 'open']);
  });
});
