import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { developmentAccounts } from '@avm402/devnode';
import { createSeller } from '@avm402/server';
import { USDC } from '@avm402/stack/balances';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { firstOffered, paidHeaders, withNewId } from '../payment.ts';
import { type Market, openMarket } from '../market.ts';
import { sendFrom } from '../send-from.ts';
import { ask, reasonOf } from './buyer.ts';
import { SponsoredStage } from './sponsored-stage.ts';

const { facilitator: first, payer8: second, payer3: somebody, usdcIssuer: issuer } = developmentAccounts();
const sponsors = [first, second];

let market: Market;
let algod: AlgodClient;
beforeAll(async () => {
  const keys = sponsors.map(({ privateKey }) => privateKey).join(',');
  market = await openMarket({ AVM_PRIVATE_KEY: keys, SPONSOR_ANYONE: 'true', SPONSOR_ANYONE_BUDGET: '10000000' });
  algod = createAlgodClient(market.node);
});
afterAll(() => market[Symbol.asyncDispose]());

let accounts = 0;

/** An account that no other case has, with a dollar. */
async function newAccount(): Promise<Account> {
  const account = accountFromSeed(new Uint8Array(32).fill(100 + accounts++));
  await market.node.fund(account.address, 10_000_000n);
  await market.node.deal(account.address, USDC, 1_000_000n);
  return account;
}

/** Has an account confirm one transfer of USDC, which pays its own fee. */
function transfer(
  by: Account,
  rest: { receiver: string; amount?: bigint; assetCloseTo?: string; assetSender?: string },
) {
  return sendFrom(algod, by, { type: 'axfer', assetId: USDC, amount: 0n, ...rest });
}

interface Parties {
  readonly payer: Account;
  readonly payTo: Account;
}

const leave = (by: Account) => transfer(by, { receiver: somebody.address, assetCloseTo: somebody.address });
const join = (by: Account) => transfer(by, { receiver: by.address });
const freeze = ({ address }: Account, isFrozen: boolean) => market.node.setFrozen(address, USDC, isFrozen);
const rekey = (address: string, to: string) => market.node.setAuthAddress(address, to);

/** A change of an account while the handler runs, and its reversal. */
const CHANGES: Readonly<Record<string, readonly ((parties: Parties) => Promise<unknown>)[]>> = {
  'rekeys its payer': [
    ({ payer }) => rekey(payer.address, somebody.address),
    ({ payer }) => rekey(payer.address, payer.address),
  ],
  'freezes its payer': [({ payer }) => freeze(payer, true), ({ payer }) => freeze(payer, false)],
  'freezes its receiver': [({ payTo }) => freeze(payTo, true), ({ payTo }) => freeze(payTo, false)],
  'takes its money back': [
    ({ payer: { address: assetSender } }) =>
      transfer(parseAccount(issuer.privateKey), { assetSender, receiver: issuer.address, amount: 1_000_000n }),
    ({ payer }) => market.node.deal(payer.address, USDC, 1_000_000n),
  ],
  'has its receiver leave the asset': [({ payTo }) => leave(payTo), ({ payTo }) => join(payTo)],
};

const FLOWS = ['exact, settled before the answer leaves', 'exact, answered before its block', 'upto'] as const;
const CASES = FLOWS.flatMap((flow) => Object.entries(CHANGES).map(([change, steps]) => ({ flow, change, steps })));

/** Sells goods for a cent by a flow; `work` is what its handler waits for. */
async function openShop(
  flow: (typeof FLOWS)[number],
  payTo: string,
  work: () => Promise<unknown>,
  options: Parameters<typeof createSeller>[0] = {},
): Promise<string> {
  const ours = { facilitator: market.facilitatorUrl, atRisk: {}, onEvent: () => undefined };
  const seller = createSeller({ ...ours, ...options });
  const accepts = await seller.accepts({
    price: '$0.01',
    payTo,
    schemes: [flow === 'upto' ? 'upto' : 'exact'],
    ...(flow.includes('before its block') && { extra: { paymentFlow: 'accepted' } }),
  });
  const app = express().get('/goods', seller.paid({ accepts }), async (_request, response) => {
    await work();
    response.send('goods');
  });
  return `${await market.open(app)}/goods`;
}

/** A payment for what a shop offers, as a message. */
async function paymentFor(url: string, account: Account, node = algod) {
  const required = decodePaymentRequiredHeader((await ask(url)).offer ?? '');
  const accepted = firstOffered(required);
  const Client = accepted.scheme === 'upto' ? UptoAvmClient : ExactAvmClient;
  const { payload } = await new Client({ account, algod: () => node }).createPaymentPayload(2, accepted);
  const { resource, extensions } = required;
  return { x402Version: 2, resource, accepted, payload, ...(extensions && { extensions }) } as const;
}

describe('a payment that is verified, and whose accounts change while its handler runs,', () => {
  it.each(CASES)(
    'is for nothing where somebody $change ($flow): nobody is served, nor pays',
    async ({ flow, steps }) => {
      const [change, undo] = steps;
      const parties = { payer: await newAccount(), payTo: await newAccount() };
      let runs = 0;
      const url = await openShop(flow, parties.payTo.address, async () => {
        runs++;
        await change?.(parties);
      });
      const { extensions: _, ...anonymous } = await paymentFor(url, parties.payer);
      const payment = paidHeaders(anonymous);
      const sponsorsHad = sponsors.map(({ address }) => market.node.balance(address).microAlgos);
      const answers = [await ask(url, payment)];
      // The change may have been for this moment only.
      await undo?.(parties);
      answers.push(await ask(url, payment));
      expect(answers.map(({ status, receipt }) => [status, receipt?.success])).toEqual([
        [402, false],
        [402, false],
      ]);
      expect(answers.map(reasonOf)).toEqual([answers[0]?.receipt?.errorReason, 'duplicate_payment']);
      expect([runs, answers.some(({ text }) => text.includes('goods'))]).toEqual([1, false]);
      expect([0n, 1_000_000n]).toContain(market.node.balance(parties.payTo.address).assets.get(USDC));
      expect(sponsors.map(({ address }) => market.node.balance(address).microAlgos)).toEqual(sponsorsHad);
    },
  );
});

describe('a payment whose sponsor is rekeyed while its handler runs', () => {
  it.each(FLOWS)('waits, blames no buyer, and is paid for once when the sponsor is rekeyed back (%s)', async (flow) => {
    // Its clock stands still: it does not look at its sponsors meanwhile.
    const now = Date.now();
    const stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), moreAccounts: [account('payer8')], anyone: true },
      settleTimeoutMs: 200,
      now: () => now,
    }));
    onTestFinished(() => stage.stop());
    const { node, url: facilitator } = stage;
    const rekeyTo = (to: (own: string) => string) =>
      Promise.all(sponsors.map(({ address }) => node.setAuthAddress(address, to(address))));
    let runs = 0;
    const change = async (): Promise<void> => {
      if (++runs === 1) await rekeyTo(() => somebody.address);
    };
    const merchant = stage.account('merchant').address;
    const has = () => node.balance(merchant).assets.get(USDC) ?? 0n;
    const had = has();
    const url = await openShop(flow, merchant, change, { facilitator, settleTimeoutMs: 200 });
    const made = await paymentFor(url, stage.account('payer'), stage.algod);
    const payment = paidHeaders(withNewId(made));
    const answer = await ask(url, payment);
    // A charge is tried again before anything is on record of it.
    const [reason, worked] = flow === 'upto' ? ['sponsor_rekeyed', 2] : ['settlement_pending', 1];
    expect([answer.status, reasonOf(answer), has() - had]).toEqual([503, reason, 0n]);
    await rekeyTo((own) => own);
    await expect.poll(async () => (await ask(url, payment)).text).toBe('goods');
    expect([runs, has() - had]).toEqual([worked, 10_000n]);
  });
});
