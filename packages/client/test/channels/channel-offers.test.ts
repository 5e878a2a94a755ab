import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '@avm402/algorand/base64';
import { parseAccount } from '@avm402/algorand/account';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type ChannelOptions, type ChannelRecord, createPayer, type Quote } from '@avm402/client';
import { encodeChannelRecord, parseChannelRecord } from '../../src/channels/channel-record.ts';
import { accounts } from '../chain.ts';
import { asking, requirements as exact } from '../seller.ts';
import { useStage } from '../stage.ts';
import { ChannelSeller } from './channel-seller.ts';

const stage = useStage();
const account = parseAccount(accounts.payer.privateKey);

/** What a buyer thinks of an offer through a channel beside the same one by `exact`. */
async function quoted(extra: Record<string, unknown>, channels: ChannelOptions = {}): Promise<Quote> {
  const offer = await new ChannelSeller(stage.chain).offer();
  const accepts: PaymentRequirements[] = [exact, { ...offer, extra: { ...offer.extra, ...extra } }];
  const seller = await stage.sellerThat(() => asking(accepts));
  return createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, channels }).quote(seller.url);
}

describe('an offer through a channel', () => {
  it('is preferred to the same one without', async () => {
    const { chosen, others } = await quoted({});
    expect([chosen, ...others].map((offer) => offer?.requirements.scheme)).toEqual(['batch-settlement', 'exact']);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'asks for more than a deposit may be',
      { minDeposit: '1000001' },
      /needs a deposit of 1000001 .* limit is 1000000/,
    ],
    ['would keep the deposit for years', { minRounds: '432001' }, /stay open for 432001 rounds/],
    ['names another network', { genesisHash: encodeBase64(new Uint8Array(32).fill(1)) }, /genesis hash/],
    ['lets the payer close', { receiverAuthorizer: accounts.payer.address }, /closed or funded by the payer/],
    ['lets the payer fund it', { funder: accounts.payer.address }, /closed or funded by the payer/],
    ['has no claim key', { claimAuthorizer: 'nobody' }, /claimAuthorizer must be an address/],
  ])('is not taken where it %s', async (_name, extra, reason) => {
    const { chosen, refused } = await quoted(extra);
    expect(chosen?.requirements.scheme).toBe('exact');
    expect(refused.map(({ refusal }) => refusal.reason).join()).toMatch(reason);
  });

  it('is taken up to the limit', async () => {
    expect((await quoted({ minDeposit: '1000000', minRounds: '432000' })).chosen?.requirements.scheme).toBe(
      'batch-settlement',
    );
    const small = await quoted({ minDeposit: '50000' }, { maxDeposit: '$0.049' });
    expect(small.chosen?.requirements.scheme).toBe('exact');
    const fitting = await quoted({ minDeposit: '50000' }, { maxDeposit: '$0.05' });
    expect(fitting.chosen?.requirements.scheme).toBe('batch-settlement');
  });

  it.each([0, 1.5, -1])('can’t be given %s times its price as a deposit', (depositMultiple) => {
    const options = { account, networks: { 'algorand:*': stage.chain.algod }, channels: { depositMultiple } };
    expect(() => createPayer(options)).toThrow(/whole number/);
  });
});

describe('the record of channels', () => {
  async function recorded(): Promise<ChannelRecord> {
    const sold = new ChannelSeller(stage.chain);
    const seller = await stage.sellerThat((seen, all) => sold.honest(seen, all));
    const records: ChannelRecord[] = [];
    const store = {
      read: () => Promise.resolve([]),
      write: (record: ChannelRecord) => Promise.resolve(void records.push(record)),
    };
    await stage.paying({ channels: { store } })(`${seller.url}/news?token=secret`);
    const record = records.at(-1);
    if (!record) throw new Error('nothing was written');
    return record;
  }

  it('is read as it was written, and holds no query', async () => {
    const record = await recorded();
    const line = encodeChannelRecord(record);
    expect(parseChannelRecord(line.trimEnd())).toEqual(record);
    expect(line).not.toContain('secret');
    expect(record).toMatchObject({ state: 'open', deposits: [{ amount: 1_000_000n, settled: true }] });
  });

  it('is nothing where a line was changed', async () => {
    const line = encodeChannelRecord(await recorded());
    for (const [from, to] of [
      ['"v":1', '"v":2'],
      ['"state":"open"', '"state":"ajar"'],
      ['"amount":"1000000"', '"amount":"-1"'],
      ['"amount":"1000000"', '"amount":"000000000000001000000"'],
      ['"expiry":"', '"expiry":"x'],
    ] as const) {
      expect(line).toContain(from);
      expect(parseChannelRecord(line.replace(from, to).trimEnd())).toBeUndefined();
    }
  });

  it('is read up to its bounds, and not above them by one', async () => {
    const known: unknown = JSON.parse(encodeChannelRecord(await recorded()));
    const { deposits } = known as { readonly deposits: readonly object[] };
    const isRead = (change: object): boolean =>
      parseChannelRecord(JSON.stringify(Object.assign({}, known, change))) !== undefined;
    const withDeposit = (change: object) => ({ deposits: [{ ...deposits[0], ...change }] });
    const bounds: readonly [number, (size: number) => object][] = [
      [20, (size) => ({ signed: '9'.repeat(size) })],
      [1000, (size) => ({ deposits: Array.from({ length: size }, () => deposits[0]) })],
      [16, (size) => withDeposit({ groupTxIds: Array.from({ length: size }, () => 'A') })],
      [16, (size) => withDeposit({ paymentGroup: Array.from({ length: size }, () => 'AAAA') })],
    ];
    expect(bounds.map(([most, of]) => [isRead(of(most)), isRead(of(most + 1))])).toEqual(
      bounds.map(() => [true, false]),
    );
    expect([isRead({ signed: '0' }), isRead({ signed: '' })]).toEqual([true, false]);
  });

  it('that can’t be written lets nothing leave', async () => {
    const sold = new ChannelSeller(stage.chain);
    const seller = await stage.sellerThat((seen, all) => sold.honest(seen, all));
    const store = { read: () => Promise.resolve([]), write: () => Promise.reject(new Error('disk full')) };
    await expect(stage.paying({ channels: { store } })(seller.url)).rejects.toThrow('disk full');
    expect(sold.came).toEqual([]);
  });
});
