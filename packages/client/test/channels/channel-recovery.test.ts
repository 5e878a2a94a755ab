import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { AlgorandError } from '@avm402/algorand/errors';
import { channelId } from '@avm402/avm/batch-settlement';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { createPayer, type JournalEntry, type Payer, type PaymentJournal } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';
import { type ChannelStore, memoryChannelStore } from '../../src/channels/channel-store.ts';
import { accounts } from '../chain.ts';
import { useStage } from '../stage.ts';
import { walletOf } from '../wallet.ts';
import { ChannelSeller, type ChannelSellerOptions } from './channel-seller.ts';

const USDC = 10_458_941n;
const stage = useStage();
const account = parseAccount(accounts.payer.privateKey);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-channels-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function selling(options: ChannelSellerOptions = {}) {
  const channelSeller = new ChannelSeller(stage.chain, options);
  const seller = await stage.sellerThat((seen, all) => channelSeller.honest(seen, all));
  const channel = () => {
    const [only] = channelSeller.channels.values();
    if (!only) throw new Error('no channel');
    return only;
  };
  return { seller, channelSeller, channel };
}

function paying(options: Partial<Parameters<typeof createPayer>[0]> = {}): Payer {
  const common = { account, networks: { 'algorand:*': stage.chain.algod }, recoverMs: 3_000, channels: {} };
  return createPayer({ ...common, ...options } as Parameters<typeof createPayer>[0]);
}

const usdcOf = async (address: string): Promise<bigint> =>
  (await stage.chain.algod.accountAsset(address, USDC))?.amount ?? 0n;

function memoryJournal(): PaymentJournal & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  return {
    entries,
    read: () => Promise.resolve(entries),
    append: (entry) => Promise.resolve(void entries.push(entry)),
  };
}

describe('closing', () => {
  it('pays the seller what was charged, gives everything else back to the unit, and frees the budget', async () => {
    const { seller } = await selling({ cost: () => 3000n });
    const journal = memoryJournal();
    const payer = paying({ journal, spend: { perDay: '$1.01' } });
    const before = [await usdcOf(account.address), await usdcOf(accounts.merchant.address)];
    for (let request = 0; request < 4; request++) await payer.fetch(seller.url);
    const [view] = (await payer.channels?.list()) ?? [];
    expect(view).toMatchObject({ deposited: 1_000_000n, charged: 12_000n, claimable: 19_000n, state: 'open' });
    expect(await payer.channels?.close(view?.id ?? '')).toEqual({ state: 'closed' });
    expect([await usdcOf(account.address), await usdcOf(accounts.merchant.address)]).toEqual([
      (before[0] ?? 0n) - 12_000n,
      (before[1] ?? 0n) + 12_000n,
    ]);
    expect(journal.entries.at(-1)).toMatchObject({ event: 'returned', amount: 981_000n });
    expect(await payer.channels?.list()).toEqual([]);
    // Otherwise a second deposit would not fit.
    const { status } = await paying({ journal, spend: { perDay: '$1.02' } }).fetch(seller.url);
    expect(status).toBe(200);
  });

  it('pays the seller what it has charged where an answer was lost', async () => {
    const channelSeller = new ChannelSeller(stage.chain);
    let isLosing = false;
    const seller = await stage.sellerThat(async (seen, all) => {
      const answer = await channelSeller.honest(seen, all);
      return isLosing && seen.payment ? { ...answer, cut: 'before' } : answer;
    });
    const payer = paying({ recoverMs: 300 });
    await payer.fetch(seller.url);
    isLosing = true;
    await expect(payer.fetch(`${seller.url}/lost`)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
    isLosing = false;
    const [view] = (await payer.channels?.list()) ?? [];
    expect(view).toMatchObject({ charged: 10_000n, claimable: 20_000n });
    const before = await usdcOf(accounts.merchant.address);
    expect(await payer.channels?.close(view?.id ?? '')).toEqual({ state: 'closed' });
    expect((await usdcOf(accounts.merchant.address)) - before).toBe(20_000n);
  });

  it('waits so long for a seller that does not answer, and then looks at the chain', async () => {
    const channelSeller = new ChannelSeller(stage.chain);
    const seller = await stage.sellerThat((seen, all) => channelSeller.honest(seen, all));
    const isClose = (init?: RequestInit): boolean => {
      const header = new Headers(init?.headers).get('payment-signature');
      return header !== null && decodePaymentSignatureHeader(header).payload['type'] === 'refund';
    };
    const never = (signal: AbortSignal | null | undefined) =>
      new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const payer = paying({
      recoverMs: 100,
      fetch: (url, init) => (isClose(init) ? never(init?.signal) : fetch(url, init)),
    });
    await payer.fetch(seller.url);
    const [view] = (await payer.channels?.list()) ?? [];
    expect(await payer.channels?.close(view?.id ?? '')).toMatchObject({ state: 'open', balance: 1_000_000n });
  });
});

it('a request that comes during a close opens another channel', async () => {
  const sold = new ChannelSeller(stage.chain);
  const line = { release: (): void => {}, asked: (): void => {} };
  const asked = new Promise<void>((resolve) => (line.asked = resolve));
  const released = new Promise<void>((resolve) => (line.release = resolve));
  const seller = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    if (sold.came.at(-1)?.type !== 'refund' || !seen.payment) return answer;
    line.asked();
    await released;
    return answer;
  });
  const payer = paying({ spend: { perDay: '$2' } });
  await payer.fetch(seller.url);
  const [view] = (await payer.channels?.list()) ?? [];
  const closing = payer.channels?.close(view?.id ?? '');
  await asked;
  expect((await payer.fetch(seller.url)).status).toBe(200);
  line.release();
  expect(await closing).toEqual({ state: 'closed' });
  expect(sold.came.map(({ type }) => type)).toEqual(['deposit', 'refund', 'deposit']);
});

describe('a deposit that left its buyer and never reached the seller', () => {
  /** What comes while `isCut` is set is lost. */
  async function losing() {
    const channelSeller = new ChannelSeller(stage.chain, { terms: { minDeposit: 20_000n } });
    const line = { isCut: false };
    const seller = await stage.sellerThat(async (seen, all) =>
      line.isCut && seen.payment ? { cut: 'before' } : channelSeller.honest(seen, all),
    );
    return { seller, line };
  }

  it('does not keep its channel from being closed once its window has passed', async () => {
    const { seller, line } = await losing();
    const journal = memoryJournal();
    const payer = paying({ journal, recoverMs: 300, channels: { depositMultiple: 2 } });
    for (let request = 0; request < 2; request++) await payer.fetch(seller.url);
    line.isCut = true;
    await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
    line.isCut = false;
    const [view] = (await payer.channels?.list()) ?? [];
    const id = view?.id ?? '';
    expect(await payer.channels?.close(id)).toMatchObject({ state: 'open', balance: 0n });
    expect(await payer.channels?.list()).toHaveLength(1);
    await stage.chain.mine(100);
    expect(await payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect(await payer.channels?.list()).toEqual([]);
    expect(journal.entries.at(-1)).toMatchObject({ event: 'expired' });
  });

  it('is waited for by a close while the chain goes on', async () => {
    const { seller, line } = await losing();
    const payer = paying({ recoverMs: 300, channels: { depositMultiple: 2 } });
    for (let request = 0; request < 2; request++) await payer.fetch(seller.url);
    line.isCut = true;
    await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
    line.isCut = false;
    const [view] = (await payer.channels?.list()) ?? [];
    const closing = payer.channels?.close(view?.id ?? '');
    await stage.chain.mine(100);
    expect(await closing).toEqual({ state: 'closed' });
  });

  it('is back, and its channel is closed, where nothing was deposited before', async () => {
    const { seller, line } = await losing();
    const journal = memoryJournal();
    const payer = paying({ journal, recoverMs: 300 });
    line.isCut = true;
    await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
    const [view] = (await payer.channels?.list()) ?? [];
    const id = view?.id ?? '';
    expect(await payer.channels?.recover(id)).toMatchObject({ state: 'open', balance: 0n });
    await stage.chain.mine(100);
    expect(await payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect(journal.entries.at(-1)).toMatchObject({ event: 'expired' });
    expect(await payer.channels?.list()).toEqual([]);
  });
});

it('a deposit that a node with few blocks has forgotten is known by what the channel holds', async () => {
  const sold = new ChannelSeller(stage.chain);
  const line = { isCut: true };
  const seller = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    return line.isCut && seen.payment ? { ...answer, cut: 'before' } : answer;
  });
  const own: AlgodClient = {
    ...stage.chain.algod,
    pendingTransaction: () => Promise.resolve(undefined),
    blockTransactionIds: () => Promise.reject(new Error('no such block')),
  };
  const journal = memoryJournal();
  const payer = paying({ journal, recoverMs: 300, networks: { 'algorand:*': own } });
  await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
  line.isCut = false;
  const [view] = (await payer.channels?.list()) ?? [];
  expect(view).toMatchObject({ deposited: 1_000_000n });
  expect(await payer.channels?.close(view?.id ?? '')).toEqual({ state: 'closed' });
  expect(journal.entries.at(-1)).toMatchObject({ event: 'returned', amount: 990_000n });
});

it('a close gives back a deposit whose arrival could not be put on record at first', async () => {
  const channelSeller = new ChannelSeller(stage.chain);
  const line = { isCut: true };
  const seller = await stage.sellerThat(async (seen, all) => {
    const answer = await channelSeller.honest(seen, all);
    return line.isCut && seen.payment ? { ...answer, cut: 'before' } : answer;
  });
  const records = memoryChannelStore();
  let failures = 2;
  const store: ChannelStore = {
    ...records,
    write: async (record) => {
      if (record.deposits.every(({ settled }) => settled) && failures-- > 0) throw new Error('the disk is full');
      await records.write(record);
    },
  };
  const journal = memoryJournal();
  const payer = paying({ journal, recoverMs: 1_000, channels: { store } });
  await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
  line.isCut = false;
  const [view] = (await payer.channels?.list()) ?? [];
  expect(view).toMatchObject({ deposited: 0n });
  expect(await payer.channels?.close(view?.id ?? '')).toEqual({ state: 'closed' });
  expect(failures).toBeLessThan(0);
  expect(journal.entries.at(-1)).toMatchObject({ event: 'returned', amount: 990_000n });
});

describe('recovering', () => {
  it('waits for the expiry, then takes everything back by a transaction of its own', async () => {
    const { seller, channel } = await selling({ terms: { minRounds: 0n } });
    const payer = paying();
    await payer.fetch(seller.url);
    const id = channelId(channel().config);
    expect(await payer.channels?.recover(id)).toMatchObject({ state: 'open', balance: 1_000_000n });
    const before = await usdcOf(account.address);
    await stage.chain.mine(1010);
    expect(await payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect((await usdcOf(account.address)) - before).toBe(1_000_000n);
  });

  it('begins after the expiry round, in which the seller may still claim', async () => {
    const { seller, channel } = await selling({ terms: { minRounds: 0n } });
    const payer = paying();
    await payer.fetch(seller.url);
    const { config } = channel();
    const { lastRound } = await stage.chain.algod.status();
    await stage.chain.mine(Number(config.expiry - lastRound));
    expect(await payer.channels?.recover(channelId(config))).toMatchObject({ state: 'open', round: config.expiry });
    await stage.chain.mine(1);
    expect(await payer.channels?.recover(channelId(config))).toEqual({ state: 'closed' });
  });

  it('believes no algod of another network', async () => {
    const { seller, channel } = await selling();
    const line = { isOther: false };
    const own: AlgodClient = {
      ...stage.chain.algod,
      params: async (options) => {
        const params = await stage.chain.algod.params(options);
        return line.isOther ? { ...params, genesisHash: new Uint8Array(32).fill(1) } : params;
      },
      accountAsset: async (...asked) => (line.isOther ? undefined : stage.chain.algod.accountAsset(...asked)),
    };
    const payer = paying({ networks: { 'algorand:*': own } });
    await payer.fetch(seller.url);
    line.isOther = true;
    const { id = '' } = (await payer.channels?.list())?.[0] ?? {};
    expect(id).toBe(channelId(channel().config));
    await expect(payer.channels?.recover(id)).rejects.toMatchObject({ code: 'network_mismatch' });
    expect(await payer.channels?.list()).toMatchObject([{ state: 'open' }]);
  });

  it('takes what is left out of an account that a close has handed over', async () => {
    const { seller, channelSeller, channel } = await selling();
    const payer = paying();
    for (let request = 0; request < 3; request++) await payer.fetch(seller.url);
    const id = channelId(channel().config);
    await channelSeller.handOver(channel());
    const before = await usdcOf(account.address);
    expect(await payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect((await usdcOf(account.address)) - before).toBe(970_000n);
  });

  it.each([
    ['in the next two blocks', 50, 60_000],
    ['in its time', undefined, 300],
  ])('tells what algod refused where nobody else ends the channel %s', async (_name, blockMs, recoverMs) => {
    const { seller, channel } = await selling({ terms: { minRounds: 0n } });
    const refusal = new AlgorandError('algod_refused', 'overspend');
    let blocks: NodeJS.Timeout | undefined;
    const own: AlgodClient = {
      ...stage.chain.algod,
      sendRawTransaction: () => {
        if (blockMs !== undefined) blocks = setInterval(() => void stage.chain.mine(1), blockMs);
        return Promise.reject(refusal);
      },
    };
    const payer = paying({ networks: { 'algorand:*': own }, recoverMs });
    await payer.fetch(seller.url);
    await stage.chain.mine(1010);
    const recovered = payer.channels?.recover(channelId(channel().config)).finally(() => clearInterval(blocks));
    await expect(recovered).rejects.toBe(refusal);
  });

  it('is asked about a channel that is not on record, or a network without a node: it says so', async () => {
    const { seller } = await selling();
    const payer = paying();
    await payer.fetch(seller.url);
    for (const ask of ['close', 'recover'] as const) {
      await expect(payer.channels?.[ask]('nobody’s')).rejects.toMatchObject({ code: 'channel_unavailable' });
    }
    const { channels } = paying({ networks: {} });
    await expect(channels?.find(ALGORAND_TESTNET, 1n)).rejects.toMatchObject({ code: 'algod_not_configured' });
  });

  it('finds its channels on chain where the record is lost, and takes them back', async () => {
    const { seller, channel, channelSeller } = await selling({ terms: { minRounds: 0n } });
    const { network } = await channelSeller.offer();
    const from = (await stage.chain.algod.status()).lastRound;
    await paying().fetch(seller.url);
    const id = channelId(channel().config);
    const payer = paying();
    expect(await payer.channels?.list()).toEqual([]);
    expect(await payer.channels?.find(network, from)).toMatchObject([{ id, config: { payer: account.address } }]);
    const before = await usdcOf(account.address);
    await stage.chain.mine(1010);
    expect(await payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect((await usdcOf(account.address)) - before).toBe(1_000_000n);
  });
});

describe('another process with the same file', () => {
  it('goes on with the channel, and signs nothing more than was asked for', async () => {
    const { seller, channel, channelSeller } = await selling();
    const file = join(folder, 'channels.jsonl');
    for (let run = 0; run < 3; run++) {
      const store = await openFileChannelStore(file);
      const payer = paying({ channels: { store } });
      for (let request = 0; request < 4; request++) expect((await payer.fetch(seller.url)).status).toBe(200);
      await store.close();
    }
    expect(channelSeller.came.filter(({ type }) => type === 'deposit')).toHaveLength(1);
    expect(channel().credit).toMatchObject({ charged: 120_000n, balance: 1_000_000n });
    // Each new process is corrected once.
    expect(channel().credit.authorized).toBeLessThanOrEqual(122_000n);
  });

  it('keeps the session key of a wallet’s channel, and no key of an account', async () => {
    const { seller } = await selling();
    for (const [name, who] of [
      ['wallet', walletOf(account)],
      ['account', account],
    ] as const) {
      const store = await openFileChannelStore(join(folder, name));
      await paying({ account: who, channels: { store } }).fetch(seller.url);
      const [record] = await store.read();
      expect(record?.seed === undefined).toBe(name === 'account');
      await store.close();
    }
  });

  it('leaves the channel of another account alone, though its session key is at hand', async () => {
    const { seller, channelSeller } = await selling();
    const store = await openFileChannelStore(join(folder, 'channels.jsonl'));
    await paying({ account: walletOf(account), channels: { store } }).fetch(seller.url);
    const other = parseAccount(accounts.payer2.privateKey);
    const payer = paying({ account: other, channels: { store } });
    await payer.fetch(seller.url);
    expect(channelSeller.came.map(({ type }) => type)).toEqual(['deposit', 'deposit']);
    expect((await payer.channels?.list())?.map(({ config }) => config.payer)).toEqual([other.address]);
    await store.close();
  });
});
