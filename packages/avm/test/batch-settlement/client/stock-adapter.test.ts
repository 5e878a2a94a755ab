import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { formatAddress } from '@avm402/algorand/address';
import { decodeTransaction } from '@avm402/algorand/transaction';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import {
  BatchSettlementAvmClient,
  type BatchSettlementAvmClientOptions,
} from '../../../src/batch-settlement/client/batch-settlement-avm-client.ts';
import {
  type ChannelPayload,
  encodeChannelPayload,
  parseChannelPayload,
} from '../../../src/batch-settlement/payload.ts';
import { isCloseSigned } from '../../../src/batch-settlement/close-authorization.ts';
import { payer, seller } from '../channel-fixture.ts';
import { requirements as offered } from '../channel-stage.ts';

/** One cent, through a channel of at least ten cents. */
const offer = { ...offered, extra: { ...offered.extra, minDeposit: '100000' } };
const genesisHash = new Uint8Array(32).fill(7);

let clock: number;
/** What the buyer's node says. */
let node: { round: bigint; held: bigint | undefined; account: { minBalance: bigint; authAddress?: string } };
beforeEach(() => {
  clock = 0;
  node = { round: 100n, held: undefined, account: { minBalance: 200_000n } };
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const algod = {
  url: 'http://node.example',
  params: async () => ({ fee: 0n, minFee: 1000n, genesisId: 'here-v1', genesisHash, lastRound: node.round }),
  status: async () => ({ lastRound: node.round }),
  accountAsset: async () => (node.held === undefined ? undefined : { amount: node.held, isFrozen: false }),
  account: async () => ({ ...node.account, round: node.round }),
} as unknown as AlgodClient;

function buyer(options: Partial<BatchSettlementAvmClientOptions> = {}) {
  const client = new BatchSettlementAvmClient({ account: payer, algod: () => algod, now: () => clock, ...options });
  const { onPaymentResponse } = client.schemeHooks;
  return {
    client,
    /** What it presents for an offer. */
    presents: async (price = '10000', context = {}, change: Partial<PaymentRequirements> = {}) => {
      const made = await client.createPaymentPayload(2, { ...offer, amount: price, ...change }, context);
      return parseChannelPayload(made.payload);
    },
    /** What it does after an answer: true if it signs anew. */
    hears: async (payload: ChannelPayload, answer: object, price = '10000') => {
      const wire = encodeChannelPayload(payload);
      const context = { paymentPayload: { payload: wire }, requirements: { ...offer, amount: price }, ...answer };
      const done = await onPaymentResponse?.(context as unknown as Parameters<typeof onPaymentResponse>[0]);
      return done !== undefined && 'recovered' in Object(done);
    },
  };
}

const amountOf = (payload: ChannelPayload): bigint | undefined =>
  payload.type === 'voucher' || payload.type === 'deposit' ? payload.voucher.maxClaimableAmount : undefined;
const summary = (payload: ChannelPayload): unknown[] => [
  payload.type,
  amountOf(payload),
  ...(payload.type === 'deposit' ? [payload.deposit.amount, payload.deposit.paymentGroup.length] : []),
];
const idOf = ({ channelConfig }: ChannelPayload): string => channelId(channelConfig);

const paid = (chargedAmount?: string) => ({
  settleResponse: { success: true, extra: { ...(chargedAmount && { chargedAmount }) } },
});
const failed = (errorReason: string) => ({ settleResponse: { success: false, errorReason } });
/** A 402 that tells of a channel's charges, by a voucher that came. */
const telling = (payload: ChannelPayload, charged: bigint) => {
  if (payload.type === 'refund' || !payload.voucher) throw new Error('no voucher');
  const { maxClaimableAmount, signature } = payload.voucher;
  const channelState = { channelId: idOf(payload), chargedCumulativeAmount: String(charged) };
  const voucherState = { signedMaxClaimable: String(maxClaimableAmount), signature: encodeBase64(signature) };
  return { paymentRequired: { accepts: [{ extra: { channelState, voucherState } }] } };
};

/** A buyer with a channel whose deposit has come, and whose first cent is charged. */
async function withChannel() {
  const one = buyer();
  const opening = await one.presents();
  await one.hears(opening, paid('10000'));
  return { ...one, opening };
}

describe('the deposit that a stock client makes', () => {
  it.each<[string, Partial<BatchSettlementAvmClientOptions>, object, unknown]>([
    ['is a hundred times the price', {}, {}, 1_000_000n],
    ['is as many times the price as the program says', { depositMultiple: 11n }, {}, 110_000n],
    ['is never less than the seller asks for', { depositMultiple: 11n, maxDeposit: 100_000n }, {}, 100_000n],
    ['is within the stock cap on a payment', {}, { maxAmountPerPayment: '500000' }, 500_000n],
    ['is within the program’s limit', { maxDeposit: 400_000n }, {}, 400_000n],
    [
      'is within the program’s limit, whatever the cap',
      { maxDeposit: 400_000n },
      { maxAmountPerPayment: '1' },
      400_000n,
    ],
    ['is the seller’s least at the limit', { maxDeposit: 100_000n }, {}, 100_000n],
    ['is not made beyond the limit', { maxDeposit: 99_999n }, {}, 'spend_limit_exceeded'],
    ['is not made beyond the cap', {}, { maxAmountPerPayment: '99999' }, 'spend_limit_exceeded'],
    ['is not made for more than its multiple', { depositMultiple: 9n }, {}, 'spend_limit_exceeded'],
  ])('%s', async (_what, options, context, outcome) => {
    const made = await buyer(options)
      .presents('10000', context)
      .then((payload) => summary(payload)[2])
      .catch(({ code }: { readonly code: string }) => code);
    expect(made).toBe(outcome);
  });

  it('is of this scheme alone', async () => {
    await expect(buyer().presents('10000', {}, { scheme: 'exact' })).rejects.toMatchObject({
      code: 'unsupported_scheme',
    });
  });

  it('adds to the channel when it is used up, with another group each time', async () => {
    const { presents, hears, opening } = await withChannel();
    expect(summary(opening)).toEqual(['deposit', 10_000n, 1_000_000n, 4]);
    expect(summary(await presents('990000'))).toEqual(['voucher', 1_000_000n]);
    const topUp = await presents('10000');
    expect(summary(topUp)).toEqual(['deposit', 1_010_000n, 1_000_000n, 2]);
    await hears(topUp, paid('10000'));
    expect(summary(await presents('900000'))).toEqual(['voucher', 1_910_000n]);
    const next = await presents('100000');
    const ids = [topUp, next].map((one) => one.type === 'deposit' && one.deposit.paymentGroup.at(-1)?.txId);
    expect([new Set(ids).size, ids.includes(undefined)]).toEqual([2, false]);
  });
});

describe('what a stock client learns from the answer to a voucher', () => {
  /** The amount of its next voucher, and whether it believes then that the request cost all that it could. */
  async function after(answer: object): Promise<[bigint | undefined, boolean]> {
    const { presents, hears } = await withChannel();
    const voucher = await presents();
    await hears(voucher, answer);
    const next = await presents();
    return [amountOf(next), await hears(next, telling(voucher, 20_000n))];
  }

  const told402 = { paymentRequired: { accepts: [] } };
  it.each<[string, object, bigint, boolean]>([
    ['a receipt of a part', paid('4000'), 24_000n, true],
    ['a receipt of all', paid('10000'), 30_000n, true],
    ['a receipt without a charge', paid(), 30_000n, true],
    ['a receipt of more than all, which is a lie', paid('10001'), 30_000n, true],
    ['a 402', told402, 20_001n, false],
    ['a refusal', failed('channel_busy'), 20_001n, false],
    ['a refusal with a 402', { ...failed('channel_busy'), ...told402 }, 20_001n, false],
    ['word that it is pending', failed('settlement_pending'), 20_001n, true],
    ['word that it is pending with a 402', { ...failed('settlement_pending'), ...told402 }, 20_001n, true],
    ['nothing', {}, 20_001n, true],
  ])('%s', async (_what, answer, next, isBelieved) => {
    expect(await after(answer)).toEqual([next, isBelieved]);
  });

  it('a 402 that tells what its own key has signed: it signs anew, above that', async () => {
    const { presents, hears } = await withChannel();
    const [lost, voucher] = [await presents(), await presents()];
    await hears(lost, {});
    expect(await hears(voucher, telling(lost, 20_000n))).toBe(true);
    expect(amountOf(await presents())).toBe(30_001n);
    expect(await hears(voucher, telling({ ...lost, channelConfig: { ...lost.channelConfig, token: 9n } }, 1n))).toBe(
      false,
    );
  });

  it('nothing from an answer about another scheme, another channel or a close', async () => {
    const { presents, hears, client, opening } = await withChannel();
    const voucher = await presents();
    const [, stranger] = [voucher, buyer()];
    expect(await stranger.hears(voucher, telling(voucher, 10_000n))).toBe(false);
    const { onPaymentResponse } = client.schemeHooks;
    const exact = { paymentPayload: { payload: {} }, requirements: { ...offer, scheme: 'exact' }, ...paid() };
    expect(await onPaymentResponse?.(exact as unknown as Parameters<typeof onPaymentResponse>[0])).toBeUndefined();
    expect(await hears({ type: 'refund', channelConfig: opening.channelConfig }, paid())).toBe(false);
  });
});

describe('a deposit without an answer', () => {
  it.each<[string, bigint, bigint | undefined, string, boolean]>([
    ['has come with all that it added', 100n, 1_000_000n, 'voucher', true],
    ['has not come as long as a unit is missing', 100n, 999_999n, 'deposit', true],
    ['may come until its last round', 1100n, undefined, 'deposit', true],
    ['comes no more after its last round', 1101n, undefined, 'deposit', false],
    ['has come, though its last round is past', 1101n, 1_000_000n, 'voucher', true],
  ])('%s', async (_what, round, held, type, isSame) => {
    const { presents, hears } = buyer();
    const first = await presents();
    await hears(first, {});
    // Ten spare rounds and those of 60 seconds: on a development network a window lasts 1,000 rounds.
    const last = first.type === 'deposit' ? (first.deposit.paymentGroup[0]?.signed.txn.lastValid ?? 0n) : 0n;
    node = { ...node, round: round > 1000n ? last + round - 1100n : round, held };
    const next = await presents();
    expect([next.type, idOf(next) === idOf(first)]).toEqual([type, isSame]);
    if (type === 'deposit' && isSame) expect(next).toEqual(first);
  });

  it('that has come counts once, and its request may have been charged or may still be told', async () => {
    for (const [isAnswered, amount] of [
      [true, 10_001n],
      [false, 20_000n],
    ] as const) {
      node = { ...node, held: undefined };
      const { presents, hears } = buyer();
      const first = await presents();
      if (isAnswered) await hears(first, {});
      node.held = 1_000_000n;
      const vouchers = await Promise.all([presents(), presents()]);
      expect(vouchers.map(({ type }) => type)).toEqual(['voucher', 'voucher']);
      expect(vouchers.map(amountOf)).toContain(amount);
      if (!isAnswered) await hears(first, {});
      expect((await presents('980001')).type, 'no room for more than was deposited').toBe('deposit');
    }
  });

  it('that can’t come is followed by one channel for all that wait', async () => {
    const { presents, hears, client } = buyer();
    const first = await presents();
    await hears(first, {});
    node.round = 9_000n;
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
    node.held = 1_000_000n;
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
    clock = offer.maxTimeoutSeconds * 1000;
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
    node.held = 1_000_000n;
    expect(summary(await presents('980000'))).toEqual(['voucher', 990_000n]);
    const next = presents('20000').then(summary);
    clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    expect(await Promise.race([next, Promise.resolve('it waits')])).toEqual(['deposit', 1_010_000n, 2_000_000n, 2]);
  });

  it('lets others wait as long as the offer gives, and no longer: then they present it as well', async () => {
    const { presents } = buyer();
    const first = await presents();
    const waiting = presents();
    let isDone = false;
    void waiting.then(() => (isDone = true));
    clock = 59_999;
    await vi.advanceTimersByTimeAsync(250);
    expect(isDone).toBe(false);
    clock = 60_000;
    await vi.advanceTimersByTimeAsync(250);
    expect(await waiting).toEqual(first);
  });
});

describe('the channels of a stock client', () => {
  it('are one for each network, asset, seller, closer, claim key and lender', async () => {
    const { presents, client } = buyer();
    const other = formatAddress(new Uint8Array(32).fill(3));
    const changes = [
      {},
      { asset: '9' },
      { payTo: other },
      ...['receiverAuthorizer', 'claimAuthorizer', 'funder'].map((name) => ({
        extra: { ...offer.extra, [name]: other },
      })),
    ];
    const ids = new Set<string>();
    for (const change of changes) ids.add(idOf(await presents('10000', {}, change)));
    expect([ids.size, client.channels().length]).toEqual([6, 6]);
  });

  it('are closed by the word of their own session key, and pay nothing more; the others go on', async () => {
    const { presents, hears, client, opening } = await withChannel();
    const elsewhere = await presents('10000', {}, { asset: '9' });
    await hears(elsewhere, paid('10000'));
    const word = parseChannelPayload(await client.closePayload(idOf(opening)));
    const { payerAuthorizer } = opening.channelConfig;
    const authorization = word.type === 'refund' ? word.authorization : undefined;
    expect(isCloseSigned(authorization ?? new Uint8Array(), idOf(opening), payerAuthorizer)).toBe(true);
    expect((await presents('10000', {}, { asset: '9' })).type).toBe('voucher');
    const next = await presents();
    expect([next.type, idOf(next) === idOf(opening)]).toEqual(['deposit', false]);
    await expect(client.closePayload(seller.address)).rejects.toMatchObject({ code: 'channel_unavailable' });
  });

  it.each<[string, typeof node.account]>([
    ['empty', { minBalance: 100_000n }],
    ['handed over', { minBalance: 200_000n, authAddress: payer.address }],
  ])('are followed by another once the buyer’s own node finds the refused one %s', async (_what, account) => {
    const { presents, hears, opening } = await withChannel();
    const refused = { paymentRequired: { accepts: [], error: 'invalid_batch_settlement_avm_channel_closed' } };
    const afterRefusal = async () => {
      await hears(await presents(), refused);
      const next = await presents();
      return [next.type, idOf(next) === idOf(opening)];
    };
    node = { ...node, round: 9_000n, held: 990_000n };
    expect(await afterRefusal(), 'by the seller’s word alone').toEqual(['voucher', true]);
    node = { round: 100n, held: undefined, account };
    expect(await afterRefusal(), 'by a node that may be behind').toEqual(['voucher', true]);
    node = { ...node, round: 9_000n };
    expect((await presents()).type, 'of a channel that is not refused').toBe('voucher');
    expect(await afterRefusal()).toEqual(['deposit', false]);
  });

  it('are opened again by the next request where the node failed at the first', async () => {
    let fails = true;
    const shaky = { ...algod, params: async () => (fails ? Promise.reject(new Error('no answer')) : algod.params()) };
    const { presents } = buyer({ algod: () => shaky });
    await expect(presents()).rejects.toThrow('no answer');
    fails = false;
    expect((await presents()).type).toBe('deposit');
  });
});
