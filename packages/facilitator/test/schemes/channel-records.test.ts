import { encodeTransaction } from '@avm402/algorand/transaction';
import { openingGroup, signByChannel, signVoucher, toppingUpGroup } from '@avm402/avm/batch-settlement';
import type { ChannelNetwork } from '@avm402/avm/batch-settlement/facilitator';
import { isX402Error } from '@avm402/core/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { createMemorySettlementStore, type NewSettlement, type SettlementStore } from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import type { ChannelOptions } from '../../src/schemes/channel-options.ts';
import { Channels } from '../../src/schemes/channels.ts';
import { CHANNEL_MOVES, isEnding, returnsAlgo } from '../../src/settlement/channel-move.ts';
import { SETTLEMENT_STATES, type SettlementState } from '../../src/settlement/settlement.ts';
import type { SettlementOrder } from '../../src/settlement/settlement-order.ts';
import type { Settler } from '../../src/settlement/settler.ts';
import { withChanges } from '../harness.ts';
import { settlement } from '../stores/settlement-store-contract.ts';
import {
  claimAuthorizer,
  config,
  id,
  message,
  network,
  offer,
  ours,
  payer,
  type Payload,
  refund,
  seller,
  sessionKey,
} from './made-up-channel.ts';

const unasked = () => Promise.reject(new Error('nobody asks this'));
const us = { owner: 'us', leaseMs: 60_000 };
let store: SettlementStore;
let orders: SettlementOrder[];
beforeEach(() => {
  store = createMemorySettlementStore();
  orders = [];
});

function channels(options: ChannelOptions = {}, of: SettlementStore = store): Channels {
  const settler: Pick<Settler, 'settle'> = {
    settle: async (order) => {
      orders.push(order);
      return { ...settlement(order.txId), state: 'submitted', delivered: false, recordedAt: 0, owner: 'us' };
    },
  };
  const all = new Channels({
    settle: unasked,
    settler: settler as Settler,
    store: of,
    options: { minDeposit: 1n, ...options },
    budgetsOf: () => [],
    log: silentLog,
    now: () => 0,
  });
  const chain = { network, genesisHash: 'a hash', development: false, pool: { lastRound: 77n } } as unknown as Chain;
  all.serve(chain, {
    account: ours,
    accounts: new Map([[ours.address, ours]]),
    feePayer: () => ours.address,
    uptoFeePayer: () => undefined,
    budgetLeft: async () => 10_000n,
    maxFee: 10_000n,
    payTo: new Set(),
    assets: new Set(),
    minAmount: 1n,
    anyone: true,
  });
  return all;
}

/** The network as the scheme sees it. */
function served(options?: ChannelOptions, of?: SettlementStore): ChannelNetwork {
  return channels(options, of).scheme.check(message(refund), offer).network;
}

async function written(txId: string, channel: NonNullable<NewSettlement['channel']>, state: SettlementState) {
  expect((await store.record(settlement(txId, { channel, network }), us)).outcome).toBe('recorded');
  if (state === 'recorded') return;
  await store.change(txId, 'us', { to: 'submitted' });
  if (state === 'confirmed') await store.change(txId, 'us', { to: 'confirmed', confirmedRound: 1n });
  if (state === 'rejected') await store.change(txId, 'us', { to: 'rejected', reason: 'settlement_rejected' });
  if (state === 'expired') await store.change(txId, 'us', { to: 'expired' });
}

const opening = { kind: 'open', id, config, claimAuthorizer } as const;
const MOVES = ['close', 'hand-over', 'refund'] as const;

describe('what is known of a channel', () => {
  it('is nothing where nothing of it is on record', async () => {
    expect([await served().known(id), await served().isUsed(id)]).toEqual([undefined, false]);
  });

  it.each(SETTLEMENT_STATES)('with its opening %s', async (state) => {
    await written('OPEN', opening, state);
    const known = state === 'confirmed' ? { claimAuthorizer, isOpen: true, openedIn: 1n } : undefined;
    expect(await served().known(id)).toEqual(known);
    expect(await served().isUsed(id)).toBe(['recorded', 'submitted', 'confirmed'].includes(state));
  });

  it.each(MOVES.flatMap((kind) => SETTLEMENT_STATES.map((state) => [kind, state] as const)))(
    'with a %s that is %s',
    async (kind, state) => {
      await written('OPEN', opening, 'confirmed');
      await written('END', { kind, id }, state);
      const isOpen = state === 'rejected' || state === 'expired';
      expect(await served().known(id)).toEqual({ claimAuthorizer, isOpen, openedIn: 1n });
    },
  );

  it('is that it is open after a top-up, and nothing where only an ending is on record', async () => {
    await written('OPEN', opening, 'confirmed');
    await written('MORE', { kind: 'top-up', id }, 'confirmed');
    expect(await served().known(id)).toEqual({ claimAuthorizer, isOpen: true, openedIn: 1n });
    store = createMemorySettlementStore();
    await written('END', { kind: 'close', id }, 'confirmed');
    expect([await served().known(id), await served().isUsed(id)]).toEqual([undefined, false]);
  });
});

it('a move ends its channel or not, and returns what was lent or not', () => {
  const moves = CHANNEL_MOVES.map((kind) => (kind === 'open' ? opening : { kind, id }));
  expect(moves.map((move) => [move.kind, isEnding(move), returnsAlgo(move)])).toEqual([
    ['open', false, false],
    ['top-up', false, false],
    ['close', true, true],
    ['hand-over', true, false],
    ['refund', true, true],
  ]);
});

describe('a place for a channel', () => {
  const limits = { ofPayer: 3, ofReceiver: 4, lent: 1_000_000n };
  it.each([
    ['all have places left', { all: 4, payer: 2, payTo: 3 }, true],
    ['all places are taken', { all: 5, payer: 2, payTo: 3 }, false],
    ['those of its payer are taken', { all: 4, payer: 3, payTo: 3 }, false],
    ['those of its receiver are taken', { all: 4, payer: 2, payTo: 4 }, false],
  ])('is there or not where %s', async (_what, open, isThere) => {
    const asked: unknown[] = [];
    const counted = withChanges(store, {
      openChannels: async (on, of = {}) => {
        asked.push([on, of]);
        return 'payer' in of ? open.payer : 'payTo' in of ? open.payTo : open.all;
      },
    });
    expect(await served(limits, counted).hasPlaceFor(config)).toBe(isThere);
    const all = [
      [network, {}],
      [network, { payer: payer.address }],
      [network, { payTo: seller.address }],
    ];
    expect(asked).toEqual(all.slice(0, asked.length));
  });
});

it('the network has the operator’s claim keys, or none', () => {
  const keys = new Set(['A']);
  const claimKeysOf = (receiver: string) => (receiver === seller.address ? keys : undefined);
  expect(served({ claimKeysOf }).claimKeysOf(seller.address)).toBe(keys);
  expect(served().claimKeysOf(seller.address)).toBeUndefined();
  expect([served().lastRound(), served().genesisHash, served().network]).toEqual([77n, 'a hash', network]);
});

describe('a settlement', () => {
  const deposit = (group: ReturnType<typeof openingGroup>): Payload => {
    const paymentGroup = group.map((txn) => {
      if (txn.sender === payer.address) return { bytes: payer.signTransaction(txn) };
      return { bytes: txn.sender === id ? signByChannel(config, txn) : encodeTransaction(txn) };
    });
    const voucher = signVoucher(sessionKey, id, 10n);
    return { type: 'deposit', channelConfig: config, voucher, deposit: { amount: 100n, paymentGroup } };
  };
  const terms = { firstValid: 70n, lastValid: 90n, fee: 1_000n };
  const parties = { feePayer: ours.address, deposit: 100n };

  it.each([
    ['opens', openingGroup(config, parties, terms), opening],
    ['adds to', toppingUpGroup(config, parties, terms), { kind: 'top-up', id }],
  ] as const)(
    'of a deposit that %s a channel is ordered with all that its row holds',
    async (_what, group, channel) => {
      const answer = await channels({ lent: 400_000n }).settle(message(deposit(group)), offer, {});
      expect(answer).toMatchObject({ success: false, errorReason: 'settlement_pending', network });
      expect(orders).toEqual([
        {
          txId: answer.transaction,
          network,
          firstValid: 70n,
          lastValid: 90n,
          payer: payer.address,
          signer: payer.address,
          feePayer: ours.address,
          payTo: seller.address,
          asset: '5',
          amount: 100n,
          requirementsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
          channel,
          channelLimits: { ofPayer: 3, ofReceiver: 1, total: 2 },
          verify: expect.any(Function),
        },
      ]);
      const again = { ...offer, amount: '11', extra: { ...offer.extra, minRounds: '2' } };
      await channels().settle({ ...message(deposit(group)), accepted: again }, again, {});
      expect(orders[1]?.requirementsDigest, 'the same at any price').toBe(orders[0]?.requirementsDigest);
    },
  );

  it('is none of a voucher, and none after the end or where no channels are served', async () => {
    const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => (isX402Error(error) ? error.code : error));
    const voucher = message({ type: 'voucher', channelConfig: config, voucher: signVoucher(sessionKey, id, 10n) });
    expect(await codeOf(channels().settle(voucher, offer, {}))).toBe('invalid_batch_settlement_avm_payload');
    const stopped = channels();
    stopped.stop();
    expect(await codeOf(stopped.settle(voucher, offer, {}))).toBe('unsupported_network');
    const elsewhere = { ...offer, network: 'eip155:1' as const };
    expect(await codeOf(channels().settle({ ...voucher, accepted: elsewhere }, elsewhere, {}))).toBe(
      'unsupported_network',
    );
    expect(stopped.scheme.getExtra(network)).toBeUndefined();
  });
});
