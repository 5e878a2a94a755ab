import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import {
  type ChannelConfig,
  channelId,
  closingGroup,
  handingOverGroup,
  signByChannel,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { USDC } from '@avm402/stack/balances';
import {
  channelConfig,
  channelRequirements,
  DEPOSIT,
  groupTerms,
  openingPayment,
  sessionKey,
} from '../channels/deposit.ts';
import { SponsoredStage } from './sponsored-stage.ts';

let stage: SponsoredStage;
let config: ChannelConfig;

beforeAll(async () => {
  stage = await SponsoredStage.start(({ account }) => ({
    sponsorship: { account: account('facilitator'), payTo: [account('merchant').address], anyone: true },
    channels: { minDeposit: 1n, minRounds: 100n },
  }));
  const { algod, url } = stage;
  const [payer, seller, sponsor] = [stage.account('payer'), stage.account('merchant'), stage.account('facilitator')];
  const parties = { payer: payer.address, seller: seller.address, sponsor: sponsor.address };
  config = await channelConfig(algod, parties);
  const accepted = await channelRequirements(url, config);
  expect(await stage.ask('settle', await openingPayment(config, { algod, payer, accepted }))).toBe('ok');
});
afterAll(() => stage.stop());

/** The payer's smallest voucher in a group that it gives out as a payment of the scheme `exact`. */
function smuggled(group: readonly Transaction[]): PaymentPayload {
  const voucher = signVoucher(sessionKey, channelId(config), 1n);
  const paymentGroup = group.map((txn) =>
    encodeBase64(
      txn.sender === channelId(config)
        ? signByChannel(config, txn, txn.type === 'axfer' ? voucher : undefined)
        : encodeTransaction(txn),
    ),
  );
  return { x402Version: 2, accepted: stage.requirements({ amount: '1' }), payload: { paymentGroup, paymentIndex: 1 } };
}

/** Without what the closer's transaction has and an ordinary fee payer's has not. */
function withoutLease(group: readonly Transaction[]): Transaction[] {
  return assignGroup(
    group.map((txn) => {
      const { group: _, lease: __, ...rest } = txn;
      return rest;
    }),
  );
}

it.each([
  ['a close', async () => closingGroup(config, 1n, await groupTerms(stage.algod))],
  ['a handing over', async () => handingOverGroup(config, 1n, await groupTerms(stage.algod))],
  [
    'a handing over without the lease',
    async () => withoutLease(handingOverGroup(config, 1n, await groupTerms(stage.algod))),
  ],
])('no payer has its channel closed with its smallest voucher by way of `exact`: %s', async (_, group) => {
  const before = stage.sponsorHas;
  const payment = smuggled(await group());
  for (const route of ['verify', 'settle'] as const) {
    expect(await stage.ask(route, payment)).toMatch(
      /invalid_exact_avm_(group_shape|invalid_fee_payer|rekey|logic_signature|asset_close)/,
    );
  }
  expect(stage.sponsorHas).toBe(before);
  expect(stage.node.balance(channelId(config)).assets.get(USDC)).toBe(DEPOSIT);
});
