import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import { boundedDeposit, boundedTerms } from '../../../src/batch-settlement/client/channel-bounds.ts';
import { ChannelPayer } from '../../../src/batch-settlement/client/channel-payer.ts';
import { parseChannelTerms } from '../../../src/batch-settlement/channel-terms.ts';
import { UptoAvmClient } from '../../../src/upto/client/upto-avm-client.ts';
import { accountFromSeed } from '@avm402/algorand/account';
import { payer, seller } from '../channel-fixture.ts';
import { config, requirements as offer, sponsor } from '../channel-stage.ts';

const genesisHash = new Uint8Array(32).fill(7);

/** A node of a public network in round 900, which asks this many µAlgo for a byte. */
function node(fee = 0n, genesisId = 'public-v1'): AlgodClient {
  const params = { fee, minFee: 1000n, genesisId, genesisHash, lastRound: 900n, consensusVersion: '' };
  return { url: 'http://node.example', params: async () => params } as unknown as AlgodClient;
}

const payerAt = (fee?: bigint, genesisId?: string) =>
  new ChannelPayer({ account: payer, algod: () => node(fee, genesisId), now: () => 0 });

const open = { kind: 'open', amount: 1_000_000n, earlier: 0 } as const;

describe('a deposit that is made', () => {
  it.each([
    ['open', 4],
    ['top-up', 2],
  ] as const)('says of its group what is in it (%s)', async (kind, size) => {
    const made = await payerAt().deposit(config, offer, { ...open, kind });
    const members = made.paymentGroup.map(decodeMember);
    expect(members.map(({ txId }) => txId)).toEqual(made.groupTxIds);
    expect([members.length, made.txId]).toEqual([size, members.at(-1)?.txId]);
    const transfer = members.at(-1)?.signed.txn;
    expect(made.groupId).toBe(encodeBase64(transfer?.group ?? new Uint8Array()));
    expect([made.firstValid, made.lastValid]).toEqual([transfer?.firstValid, transfer?.lastValid]);
    expect(transfer).toMatchObject({ sender: payer.address, receiver: channelId(config), amount: 1_000_000n });
    expect(members.map(({ signed }) => signed.signature !== undefined)).toEqual(
      members.map((_, index) => index === size - 1),
    );
  });

  it('is valid for the time that the offer gives on a public network, and as long as may be on a development network', async () => {
    const [publicly, here] = [
      await payerAt().deposit(config, offer, open),
      await payerAt(0n, 'dockernet-v1').deposit(config, offer, open),
    ];
    expect([publicly.firstValid, publicly.lastValid]).toEqual([900n, 932n]);
    expect([here.firstValid, here.lastValid]).toEqual([900n, 1900n]);
  });

  it('ends a round earlier for each one before it, eight at most', async () => {
    const ends = [0, 1, 7, 8, 9].map(
      async (earlier) => (await payerAt().deposit(config, offer, { ...open, earlier })).lastValid,
    );
    expect(await Promise.all(ends)).toEqual([932n, 931n, 925n, 932n, 931n]);
  });

  it.each([
    [0n, 1000n],
    [2n, 1000n],
    [3n, 1050n],
    [10n, 3500n],
  ])('pays for each member what the network asks for at %s µAlgo a byte', async (fee, each) => {
    const fees = (group: readonly Uint8Array[]) => group.map((bytes) => decodeMember(bytes).signed.txn.fee);
    const { paymentGroup } = await payerAt(fee).deposit(config, offer, open);
    expect(fees(paymentGroup)).toEqual([4n * each, 0n, 0n, 0n]);
    expect(fees(await payerAt(fee).refund(config))).toEqual([3n * each, 0n, 0n]);
    expect(fees(await payerAt(fee).takeOver(config))).toEqual([2n * each, 0n]);
  });

  it('is followed by groups of the payer’s own that are valid for a minute', async () => {
    for (const group of [await payerAt().refund(config), await payerAt().takeOver(config)]) {
      const windows = group.map((bytes) => decodeMember(bytes).signed.txn);
      for (const txn of windows)
        expect(txn).toMatchObject({ firstValid: 900n, lastValid: 932n, genesisId: 'public-v1' });
    }
  });
});

describe('a new channel', () => {
  it('lasts as long as the offer asks for, and as long as its deposit may take', async () => {
    const { config: made, seed } = await payerAt().newChannel(offer);
    const terms = parseChannelTerms(offer.extra);
    expect(made).toEqual({
      payer: payer.address,
      payerAuthorizer: expect.any(String),
      receiver: seller.address,
      receiverAuthorizer: terms.receiverAuthorizer,
      token: 10_458_941n,
      expiry: 900n + 1000n + 1000n,
      funder: sponsor,
      genesisHash,
      salt: made.salt,
    });
    expect([made.salt.length, seed.length]).toEqual([16, 32]);
  });

  it('takes its salt from the program’s own source, and for a wallet its key as well', async () => {
    const asked: number[] = [];
    const random = (bytes: number): Uint8Array => {
      asked.push(bytes);
      return crypto.getRandomValues(new Uint8Array(bytes));
    };
    const wallet = { address: payer.address, signTransactions: () => Promise.resolve([]) };
    const of = (account: typeof payer | typeof wallet) => new ChannelPayer({ account, algod: () => node(), random });
    const made = await of(wallet).newChannel(offer);
    expect(asked.slice(0, 2)).toEqual([16, 32]);
    expect(of(wallet).sessionKey(made.config)).toBeUndefined();
    asked.length = 0;
    await of(payer).newChannel(offer);
    expect(new Set(asked)).toEqual(new Set([16]));
  });

  it('is one of the network that the buyer’s node belongs to', async () => {
    const elsewhere = {
      ...node(),
      params: async () => ({ ...(await node().params()), genesisHash: new Uint8Array(32) }),
    };
    const lost = new ChannelPayer({ account: payer, algod: () => elsewhere });
    await expect(lost.newChannel(offer)).rejects.toMatchObject({ code: 'network_mismatch' });
    const none = new ChannelPayer({ account: payer, algod: () => undefined });
    await expect(none.deposit(config, offer, open)).rejects.toMatchObject({ code: 'unsupported_network' });
    await expect(none.refund(config)).rejects.toMatchObject({ code: 'unsupported_network' });
  });
});

describe('the bounds of a buyer', () => {
  const bounded = (minRounds: string, change = {}) =>
    boundedTerms({ network: offer.network, extra: { ...offer.extra, minRounds, ...change } });

  it('are two weeks, on the offer’s own network', () => {
    expect(bounded('432000').minRounds).toBe(432_000n);
    expect(() => bounded('432001')).toThrow('a channel would have to stay open for 432001 rounds');
    const other = { genesisHash: encodeBase64(new Uint8Array(32)) };
    expect(() => bounded('1', other)).toThrow('the genesis hash of the channel is not that of its network');
  });

  it.each([
    ['the multiple of the price', 10n, 5n, 1000n, 50n],
    ['the seller’s least', 10n, 51n, 1000n, 51n],
    ['as much as is allowed', 10n, 5n, 49n, 49n],
    ['the price', 10n, 5n, 10n, 10n],
    ['as much as there can be of an asset', 2n ** 63n, 5n, 2n ** 70n, 2n ** 64n - 1n],
    ['nothing below the price', 10n, 5n, 9n, undefined],
    ['nothing below the seller’s least', 10n, 51n, 50n, undefined],
  ])('let it deposit %s', (_what, price, minDeposit, most, deposit) => {
    const within = (amount: bigint): bigint => (amount < most ? amount : most);
    const of = () => boundedDeposit({ amount: String(price) }, { minDeposit }, { multiple: 5n, within });
    if (deposit !== undefined) expect(of()).toBe(deposit);
    else expect(of).toThrow(/^a channel needs a deposit of (10|51) atomic units, the limit is (9|50)$/);
  });
});

describe('an authorization of upto', () => {
  const requirements = { ...offer, scheme: 'upto', extra: { feePayer: sponsor } };
  const client = (account = payer) => new UptoAvmClient({ account, algod: () => node(), now: () => 0 });

  it('is told with the lease and the rounds by which its settlement is found', async () => {
    const { payload, lease, firstValid, lastValid } = await client().createPayment(requirements);
    expect(payload['authorization']).toMatchObject({ lease, lastValid: '932', maxAmount: '10000', token: offer.asset });
    expect([firstValid, lastValid, 'authAddress' in payload]).toEqual([900n, 932n, false]);
  });

  it('is made for this scheme alone, and names the key of a rekeyed payer', async () => {
    for (const make of ['authorize', 'createPayment'] as const) {
      await expect(client()[make](offer)).rejects.toMatchObject({ code: 'unsupported_scheme' });
    }
    const rekeyed = accountFromSeed(new Uint8Array(32).fill(9), { address: payer.address });
    expect((await client(rekeyed).authorize(requirements)).authAddress).toBe(rekeyed.signerAddress);
    expect((await client().authorize(requirements)).authAddress).toBeUndefined();
  });

  it('has a later end once the round is asked for again', async () => {
    let lastRound = 900n;
    const moving = { ...node(), params: async () => ({ ...(await node().params()), lastRound }) };
    const one = new UptoAvmClient({ account: payer, algod: () => moving, now: () => 0 });
    const end = async (): Promise<bigint> => (await one.createPayment(requirements)).lastValid;
    expect(await end()).toBe(932n);
    lastRound = 901n;
    expect(await end()).toBe(932n);
    await one.refresh(offer.network);
    expect(await end()).toBe(933n);
  });
});
