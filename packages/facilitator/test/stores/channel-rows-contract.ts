import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import { accountFromSeed } from '@avm402/algorand/account';
import type { ChannelConfig } from '@avm402/avm/batch-settlement';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewSettlement, SettlementStore } from '../../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

const address = (seed: number): string => accountFromSeed(new Uint8Array(32).fill(seed)).address;
const us = { owner: 'us', leaseMs: 60_000 };

const config: ChannelConfig = {
  payer: address(1),
  payerAuthorizer: address(2),
  receiver: address(3),
  receiverAuthorizer: address(4),
  token: 10_458_941n,
  expiry: 5_000n,
  funder: address(4),
  genesisHash: new Uint8Array(32).fill(7),
  salt: new Uint8Array(16).fill(9),
};

/** What every settlement store must do about channels. `create` makes an empty one. */
export function describeChannelRows(database: string, create: () => Promise<SettlementStore>): void {
  describe(`${database} and its channels`, () => {
    let store: SettlementStore;
    beforeEach(async () => {
      store = await create();
      await store.open();
    });
    afterEach(() => store.close());

    const confirm = async (txId: string): Promise<void> => {
      await store.change(txId, 'us', { to: 'submitted' });
      await store.change(txId, 'us', { to: 'confirmed', confirmedRound: 101n });
    };

    it('keeps every member of a move, and shows a channel’s opening and endings, oldest first', async () => {
      await store.record(opening('OPEN', 'C'), us);
      await store.record(move('MORE', 'top-up', 'C'), us);
      await store.record(move('CLOSE', 'close', 'C'), us);
      await store.record(opening('OTHER', 'D'), us);
      const rows = await store.channel('C');
      expect(rows.map(({ txId }) => txId)).toEqual(['OPEN', 'CLOSE']);
      expect(rows[0]?.channel).toEqual(opening('OPEN', 'C').channel);
      expect(rows[1]?.channel).toEqual({ kind: 'close', id: 'C' });
      expect((await store.find('MORE'))?.channel).toEqual({ kind: 'top-up', id: 'C' });
      await store.record(settlement('EXACT'), us);
      expect(await store.find('EXACT')).not.toHaveProperty('channel');
    });

    it('opens a channel once, unless the first opening never came to the chain', async () => {
      await store.record(opening('A', 'C'), us);
      expect(await store.record(opening('B', 'C'), us)).toMatchObject({
        outcome: 'channel_taken',
        settlement: { txId: 'A' },
      });
      await store.change('A', 'us', { to: 'submitted' });
      await store.raiseRound(ALGORAND_TESTNET, 900n);
      expect(await store.record(opening('B', 'C', { round: 900n }), us)).toMatchObject({ outcome: 'channel_taken' });
      await store.change('A', 'us', { to: 'expired' });
      expect(await store.record(opening('B', 'C', { round: 900n }), us)).toMatchObject({ outcome: 'recorded' });
      expect(await store.record(opening('A', 'C'), us)).toMatchObject({ outcome: 'exists' });
    });

    it('takes one of many endings of a channel that are recorded at once, and tells the others which', async () => {
      const kinds = ['close', 'hand-over', 'refund'] as const;
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) => store.record(move(`E${index}`, kinds[index % 3] ?? 'close', 'C'), us)),
      );
      const [won] = outcomes.filter(({ outcome }) => outcome === 'recorded');
      expect(won).toBeDefined();
      const lost = outcomes.filter(({ outcome }) => outcome === 'channel_taken');
      expect(lost).toHaveLength(11);
      expect(lost).toEqual(lost.map(() => expect.objectContaining({ settlement: Object(won)['settlement'] })));
    });

    it('takes another ending after one that was refused or expired, or whose window is over, and none after a confirmed one', async () => {
      await store.record(move('REFUSED', 'close', 'C'), us);
      await store.change('REFUSED', 'us', { to: 'submitted' });
      expect(await store.record(move('TOO EARLY', 'close', 'C'), us)).toMatchObject({ outcome: 'channel_taken' });
      await store.change('REFUSED', 'us', { to: 'rejected', reason: 'invalid_exact_avm_receiver_not_opted_in' });
      expect(await store.record(move('UNKNOWN', 'hand-over', 'C'), us)).toMatchObject({ outcome: 'recorded' });
      await store.change('UNKNOWN', 'us', { to: 'submitted' });
      const inWindow = move('LAST ROUND', 'close', 'C', { round: 200n });
      expect(await store.record(inWindow, us)).toMatchObject({ outcome: 'channel_taken' });
      expect(await store.record(move('LATER', 'close', 'C', { round: 201n }), us)).toMatchObject({
        outcome: 'recorded',
      });
      await confirm('LATER');
      expect(await store.record(move('AFTER', 'refund', 'C', { round: 9_000n }), us)).toMatchObject({
        outcome: 'channel_taken',
        settlement: { txId: 'LATER', state: 'confirmed' },
      });
    });

    it('lets as many channels be open as may be, of one payer and in all', async () => {
      const channelLimits = { ofPayer: 2, ofReceiver: 3, total: 3 };
      const open = async (name: string, changes: Partial<NewSettlement> = {}): Promise<string> =>
        (await store.record(opening(name, name, changes), { ...us, channelLimits })).outcome;
      expect(await open('A')).toBe('recorded');
      expect(await open('B')).toBe('recorded');
      expect(await open('C')).toBe('too_many_channels');
      expect(await open('C', { payer: 'ANOTHER' })).toBe('recorded');
      expect(await open('D', { payer: 'A THIRD' })).toBe('too_many_channels');
      expect(await open('E', { payer: 'A THIRD', network: ALGORAND_MAINNET })).toBe('recorded');
      expect(await store.openChannels(ALGORAND_TESTNET)).toBe(3);
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'PAYER' })).toBe(2);
      await store.endChannel('A');
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'PAYER' })).toBe(1);
      expect(await open('D', { payer: 'A THIRD' })).toBe('recorded');
      await store.change('B', 'us', { to: 'submitted' });
      await store.change('B', 'us', { to: 'expired' });
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'PAYER' })).toBe(0);
    });

    it('counts an opening that was refused after a node had it as open, until it is expired, and takes no other of its channel', async () => {
      const refuse = async (name: string, isPassedOn: boolean): Promise<void> => {
        await store.record(opening(name, name), us);
        await store.change(name, 'us', { to: 'submitted' });
        await store.change(name, 'us', { to: 'rejected', reason: 'invalid_exact_avm_asset_frozen', isPassedOn });
      };
      await refuse('NOBODY HAS IT', false);
      expect(await store.openChannels(ALGORAND_TESTNET)).toBe(0);
      expect(await store.record(opening('ANOTHER', 'NOBODY HAS IT'), us)).toMatchObject({ outcome: 'recorded' });
      await refuse('A NODE HAS IT', true);
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'PAYER' })).toBe(2);
      const again = opening('AGAIN', 'A NODE HAS IT');
      expect(await store.record(again, us)).toMatchObject({ outcome: 'channel_taken' });
      const one = { ofPayer: 2, ofReceiver: 9, total: 9 };
      expect(await store.record(opening('NEXT', 'NEXT'), { ...us, channelLimits: one })).toMatchObject({
        outcome: 'too_many_channels',
      });
      await store.change('A NODE HAS IT', 'us', { to: 'expired' });
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'PAYER' })).toBe(1);
      expect(await store.record(again, us)).toMatchObject({ outcome: 'recorded' });
    });

    it('lets as many channels be open to one receiver as may be, and others have theirs', async () => {
      const channelLimits = { ofPayer: 9, ofReceiver: 2, total: 9 };
      const open = async (name: string, changes: Partial<NewSettlement> = {}): Promise<string> =>
        (await store.record(opening(name, name, { payer: name, ...changes }), { ...us, channelLimits })).outcome;
      expect([await open('A'), await open('B')]).toEqual(['recorded', 'recorded']);
      expect(await open('C')).toBe('too_many_channels');
      expect(await open('C', { payTo: 'ANOTHER' })).toBe('recorded');
      expect(await store.openChannels(ALGORAND_TESTNET, { payTo: 'MERCHANT' })).toBe(2);
      expect(await store.openChannels(ALGORAND_TESTNET, { payer: 'A', payTo: 'ANOTHER' })).toBe(0);
      await store.endChannel('A');
      expect(await open('D')).toBe('recorded');
    });

    it('names the channels that have expired with something in them, those that expired first first', async () => {
      for (const [id, expiry] of [
        ['LATE', 700n],
        ['EARLY', 600n],
        ['LIVING', 800n],
        ['ENDED', 500n],
      ] as const) {
        await store.record(opening(id, id, {}, expiry), us);
        await confirm(id);
      }
      await store.record(opening('UNSENT', 'UNSENT', {}, 500n), us);
      await store.endChannel('ENDED');
      const expired = async (limit: number): Promise<string[]> =>
        (await store.expiredChannels(ALGORAND_TESTNET, { round: 800n, limit })).map(({ txId }) => txId);
      expect(await expired(10)).toEqual(['EARLY', 'LATE']);
      expect(await expired(1)).toEqual(['EARLY']);
      expect(await store.expiredChannels(ALGORAND_MAINNET, { round: 800n, limit: 10 })).toEqual([]);
    });

    it('remembers an opening until the channel’s expiry is past, however old it is', async () => {
      await store.record(opening('OPEN', 'C'), us);
      await store.record(move('MORE', 'top-up', 'C'), us);
      for (const txId of ['OPEN', 'MORE']) await confirm(txId);
      await store.raiseRound(ALGORAND_TESTNET, config.expiry + 10n);
      const before = Date.now() + 120_000;
      expect(await store.prune({ before, limit: 10 })).toBe(1);
      expect(await store.find('OPEN')).toBeDefined();
      await store.raiseRound(ALGORAND_TESTNET, config.expiry + 11n);
      await store.endChannel('C');
      expect(await store.prune({ before, limit: 10 })).toBe(1);
    });

    it('remembers an opening, however old, while the channel holds what was lent; one that never came is forgotten', async () => {
      await store.record(opening('OPEN', 'C'), us);
      await confirm('OPEN');
      await store.record(opening('NEVER', 'D'), us);
      await store.change('NEVER', 'us', { to: 'submitted' });
      await store.change('NEVER', 'us', { to: 'expired' });
      await store.raiseRound(ALGORAND_TESTNET, config.expiry + 100_000n);
      const before = Date.now() + 120_000;
      expect(await store.prune({ before, limit: 10 })).toBe(1);
      expect(await store.find('NEVER')).toBeUndefined();
      expect(await store.expiredChannels(ALGORAND_TESTNET, { round: config.expiry + 1n, limit: 10 })).toMatchObject([
        { txId: 'OPEN' },
      ]);
      await store.endChannel('C');
      expect(await store.prune({ before, limit: 10 })).toBe(1);
    });
  });
}

export function opening(
  txId: string,
  id: string,
  changes: Partial<NewSettlement> = {},
  expiry = config.expiry,
): NewSettlement {
  const channel = { kind: 'open', id, config: { ...config, expiry }, claimAuthorizer: address(5) } as const;
  return settlement(txId, { channel, ...changes });
}

function move(
  txId: string,
  kind: 'top-up' | 'close' | 'hand-over' | 'refund',
  id: string,
  changes: Partial<NewSettlement> = {},
): NewSettlement {
  return settlement(txId, { channel: { kind, id }, ...changes });
}
