import { parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import {
  type ChannelConfig,
  channelId,
  encodeChannelPayload,
  type GroupTerms,
  parseChannelTerms,
  refundGroup,
  signByChannel,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type ChannelOptions, createSeller, createMemoryChannelStore, type Seller } from '@avm402/server';
import express from 'express';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { USDC } from '@avm402/stack/balances';
import { type BalancedNode, startBalancedNode } from './balanced-node.ts';
import { channelConfig, DEPOSIT, openingPayment, sessionKey } from '../channels/deposit.ts';
import { paidHeaders } from '../payment.ts';
import { type Answer, ask, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';

const PRICE = 10_000n;
const ROUNDS = 1_000n;
const ROUND_MS = 2_800;

let market: Market;
let nodes: BalancedNode;
let algod: AlgodClient;
let closing: AsyncDisposableStack;
beforeEach(async () => {
  closing = new AsyncDisposableStack();
  const terms = { CHANNEL_MIN_DEPOSIT: '1', CHANNEL_MIN_ROUNDS: String(ROUNDS) };
  const lineTo = async (url: string): Promise<BalancedNode> => (nodes = await startBalancedNode(url));
  market = closing.use(await openMarket(terms, {}, lineTo));
  algod = createAlgodClient(market.node);
});
afterEach(() => closing.disposeAsync());

interface Shop {
  readonly url: string;
  readonly seller: Seller;
  /** The terms that channels pay for. */
  readonly offer: PaymentRequirements;
  served(): number;
}

/** A shop that sells for a cent through channels, and claims with one key wherever it runs; by default with a record of its own. */
async function openShop(now = Date.now, options: Partial<ChannelOptions> = {}): Promise<Shop> {
  const server = market.resourceServer().register('algorand:*', new BatchSettlementAvmServer());
  const channels = {
    store: createMemoryChannelStore(),
    claimKey: new Uint8Array(32).fill(9),
    sweepMs: 5,
    ...options,
  };
  const seller = createSeller({ server, channels, now, onEvent: () => undefined });
  closing.defer(() => seller.channels?.stop());
  const accepts = { ...market.accepts, scheme: 'batch-settlement' } as const;
  let served = 0;
  const app = express().use(seller.middleware({ 'GET /goods': { accepts } }));
  app.get('/goods', (_request, response) => void response.end(`goods ${++served}`));
  const url = `${await market.open(app)}/goods`;
  const [offer] = decodePaymentRequiredHeader((await ask(url)).offer ?? '').accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  return { url, seller, offer, served: () => served };
}

/** A buyer who says itself when its channel ends, and when its deposit is valid. */
async function buyerOf(offer: PaymentRequirements) {
  const payer = parseAccount(market.node.accounts.payer.privateKey);
  const parties = { payer: payer.address, seller: offer.payTo, sponsor: parseChannelTerms(offer.extra).funder };
  const { lastRound, genesisId } = await algod.params();
  const terms = (firstValid: bigint): GroupTerms => {
    return { firstValid, lastValid: firstValid + ROUNDS, genesisId, fee: 1_000n };
  };
  return {
    payer,
    lastRound,
    terms,
    config: async (expiry: bigint): Promise<ChannelConfig> => ({ ...(await channelConfig(algod, parties)), expiry }),
    deposit: async (config: ChannelConfig, firstValid: bigint) =>
      paidHeaders(
        await openingPayment(config, { algod, payer, accepted: offer, terms: terms(firstValid), voucher: PRICE }),
      ),
    pay: (channel: ChannelConfig, amount: bigint) => {
      const voucher = signVoucher(sessionKey, channelId(channel), amount);
      const payload = encodeChannelPayload({ type: 'voucher', channelConfig: channel, voucher });
      return paidHeaders({ x402Version: 2, accepted: offer, payload });
    },
  };
}

const usdcOf = (address: string): bigint => market.node.balance(address).assets.get(USDC) ?? 0n;

/** Sends the group that gives a payer everything back after the expiry. */
async function refund(config: ChannelConfig, { payer, terms }: Awaited<ReturnType<typeof buyerOf>>): Promise<void> {
  const { lastRound } = await algod.params();
  const group = refundGroup(config, payer.address, terms(lastRound));
  const sign = (txn: (typeof group)[number]): Uint8Array =>
    txn.sender === payer.address ? payer.signTransaction(txn) : signByChannel(config, txn);
  await algod.sendRawTransaction(Buffer.concat(group.map(sign)));
}

function refusal(answer: Answer): string {
  return answer.status === 402 ? reasonOf(answer) : `served with ${answer.status}`;
}

it.each([
  { back: 990, left: 10, reason: 'channel_expiring' },
  { back: 10, left: 990, reason: 'channel_expiring' },
  { back: 11, left: 1_000, reason: 'deposit_group' },
])(
  'a deposit that is valid since $back rounds opens no channel with $left rounds left',
  async ({ back, left, reason }) => {
    await market.node.mine(Number(ROUNDS));
    const shop = await openShop();
    const buyer = await buyerOf(shop.offer);
    const had = usdcOf(buyer.payer.address);
    const config = await buyer.config(buyer.lastRound + BigInt(left));
    const deposit = await buyer.deposit(config, buyer.lastRound - BigInt(back));
    expect(refusal(await ask(shop.url, deposit))).toBe(`invalid_batch_settlement_avm_${reason}`);
    for (let paid = 2n; paid <= 5n; paid++) {
      expect((await ask(shop.url, buyer.pay(config, paid * PRICE))).status).toBe(402);
    }
    expect([shop.served(), usdcOf(buyer.payer.address)]).toEqual([0, had]);
  },
);

it('100 answers are paid to a seller that opens as old a deposit as may be: it closes before the payer can refund itself', async () => {
  await market.node.mine(Number(ROUNDS));
  let clock = Date.now();
  const shop = await openShop(() => clock);
  const buyer = await buyerOf(shop.offer);
  const [buyerHad, sellerHad] = [usdcOf(buyer.payer.address), usdcOf(shop.offer.payTo)];
  const config = await buyer.config(buyer.lastRound + ROUNDS);
  expect((await ask(shop.url, await buyer.deposit(config, buyer.lastRound - 10n))).status).toBe(200);
  for (let paid = 2n; paid <= 100n; paid++) {
    expect((await ask(shop.url, buyer.pay(config, paid * PRICE))).status).toBe(200);
  }
  expect([shop.served(), usdcOf(channelId(config))]).toEqual([100, DEPOSIT]);

  // The payer asks for nothing any more, and waits for the expiry.
  await market.node.mine(Number(ROUNDS / 2n));
  clock += Number(ROUNDS / 2n) * ROUND_MS;
  await expect.poll(() => usdcOf(shop.offer.payTo)).toBe(sellerHad + 100n * PRICE);
  await market.node.mine(Number(ROUNDS / 2n));
  await expect(refund(config, buyer)).rejects.toThrow();
  expect(usdcOf(buyer.payer.address)).toBe(buyerHad - 100n * PRICE);
});

it.each(['one after the other', 'at the same time'])(
  'one deposit is served once by two servers with one claim key and a record each: it comes to them %s',
  async (when) => {
    const [one, two] = [await openShop(), await openShop()];
    const buyer = await buyerOf(one.offer);
    expect(two.offer).toEqual(one.offer);
    const buyerHad = usdcOf(buyer.payer.address);
    const config = await buyer.config(buyer.lastRound + 2n * ROUNDS);
    const deposit = await buyer.deposit(config, buyer.lastRound);
    const first = ask(one.url, deposit);
    if (when === 'one after the other') await first;
    const answers = await Promise.all([first, ask(two.url, deposit)]);
    expect(answers.map(refusal).toSorted()).toEqual(['duplicate_settlement', 'served with 200']);

    const [opener, other] = one.served() === 1 ? [one, two] : [two, one];
    const again = [deposit, buyer.pay(config, 2n * PRICE)];
    const reasons = [];
    for (const headers of again) reasons.push(refusal(await ask(other.url, headers)));
    expect(reasons).toEqual(['duplicate_settlement', 'invalid_batch_settlement_avm_channel_not_found']);
    await opener.seller.channels?.close(channelId(config));
    expect([one.served() + two.served(), usdcOf(buyer.payer.address)]).toEqual([1, buyerHad - PRICE]);
  },
);

it('a buyer whose seller’s clock was set back gets nothing for a channel that has come near its expiry', async () => {
  let clock = Date.now();
  const shop = await openShop(() => clock);
  const buyer = await buyerOf(shop.offer);
  const config = await buyer.config(buyer.lastRound + 1_600n);
  const had = usdcOf(shop.offer.payTo);
  expect((await ask(shop.url, await buyer.deposit(config, buyer.lastRound))).status).toBe(200);
  clock -= 365 * 24 * 60 * 60_000;
  await market.node.mine(1_200);
  await expect.poll(() => usdcOf(shop.offer.payTo)).toBe(had + PRICE);
  expect(refusal(await ask(shop.url, buyer.pay(config, 2n * PRICE)))).toMatch(/_channel_(closed|expiring)$/);
  expect(shop.served()).toBe(1);
});

it.each([
  ['near its expiry', 1_200],
  ['past its expiry', 1_700],
])(
  'a buyer whose seller restarts with its clock set back gets nothing for a channel that is %s',
  async (_where, rounds) => {
    const store = createMemoryChannelStore();
    const first = await openShop(Date.now, { store, sweepMs: 1_000_000 });
    const buyer = await buyerOf(first.offer);
    const config = await buyer.config(buyer.lastRound + 1_600n);
    expect((await ask(first.url, await buyer.deposit(config, buyer.lastRound))).status).toBe(200);
    await market.node.mine(rounds);
    // Its first look at its channels is still to come.
    const shop = await openShop(() => 0, { store, sweepMs: 1_000_000 });
    const vouchers = [2n, 3n, 4n].map((times) => ask(shop.url, buyer.pay(config, times * PRICE)));
    expect((await Promise.all(vouchers)).map(refusal)).toEqual(
      Array(3).fill('invalid_batch_settlement_avm_channel_expiring'),
    );
    expect(shop.served()).toBe(0);
  },
);

it.each([
  ['', () => Date.now() + 1_200 * ROUND_MS],
  [', also with its clock set back', () => 0],
])(
  'a seller that falls over some seconds after each start is paid what a channel owes before its expiry%s',
  async (_clock, now) => {
    const store = createMemoryChannelStore();
    const first = await openShop(Date.now, { store, sweepMs: 1_000_000 });
    const buyer = await buyerOf(first.offer);
    const config = await buyer.config(buyer.lastRound + 1_600n);
    expect((await ask(first.url, await buyer.deposit(config, buyer.lastRound))).status).toBe(200);
    const sellerHad = usdcOf(first.offer.payTo);
    await market.node.mine(1_200);
    // Each process of this seller ends before its second regular look at its channels.
    await openShop(now, { store, sweepMs: 15_000 });
    await expect.poll(() => usdcOf(first.offer.payTo), { timeout: 7_000 }).toBe(sellerHad + PRICE);
  },
);

it('a seller that closes right after an opening is paid, though one of the facilitator’s nodes has not seen the opening', async () => {
  const shop = await openShop();
  const buyer = await buyerOf(shop.offer);
  const [buyerHad, sellerHad] = [usdcOf(buyer.payer.address), usdcOf(shop.offer.payTo)];
  const config = await buyer.config(buyer.lastRound + 2n * ROUNDS);
  expect((await ask(shop.url, await buyer.deposit(config, buyer.lastRound))).status).toBe(200);
  nodes.lags = true;
  await expect(shop.seller.channels?.close(channelId(config))).rejects.toMatchObject({ code: 'channel_not_closed' });
  nodes.lags = false;
  expect((await shop.seller.channels?.close(channelId(config)))?.closedBy).toHaveLength(52);
  const paid = [usdcOf(shop.offer.payTo) - sellerHad, buyerHad - usdcOf(buyer.payer.address)];
  expect([shop.served(), ...paid]).toEqual([1, PRICE, PRICE]);
});
