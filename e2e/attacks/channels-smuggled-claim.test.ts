import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { createSigner } from '@avm402/algorand/ed25519';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import {
  type ChannelConfig,
  channelId,
  claimAuthorizerOf,
  closingGroup,
  encodeChannelPayload,
  handingOverGroup,
  openingGroup,
  signByChannel,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SponsoredStage } from './sponsored-stage.ts';

const USDC = 10_458_941n;
const DEPOSIT = 5_000_000n;
const sessionKey = createSigner(new Uint8Array(32).fill(4));
const claimKey = createSigner(new Uint8Array(32).fill(5));

let stage: SponsoredStage;
let config: ChannelConfig;

beforeAll(async () => {
  stage = await SponsoredStage.start(({ account }) => ({
    sponsorship: { account: account('facilitator'), payTo: [account('merchant').address], anyone: true },
    channels: { minDeposit: 1n, minRounds: 100n },
  }));
  const { genesisHash, lastRound } = await stage.algod.params();
  const sponsor = stage.account('facilitator').address;
  config = {
    payer: stage.account('payer').address,
    payerAuthorizer: formatAddress(sessionKey.publicKey),
    receiver: stage.account('merchant').address,
    receiverAuthorizer: sponsor,
    token: USDC,
    expiry: lastRound + 2_000n,
    funder: sponsor,
    genesisHash,
    salt: new Uint8Array(16).fill(1),
  };
  expect(await stage.ask('settle', await opening())).toBe('ok');
});
afterAll(() => stage.stop());

async function terms(fee = 1_000n) {
  const { lastRound, genesisId } = await stage.algod.params();
  return { firstValid: lastRound, lastValid: lastRound + 100n, genesisId, fee };
}

async function opening(): Promise<PaymentPayload> {
  const group = openingGroup(config, { feePayer: config.funder, deposit: DEPOSIT }, await terms());
  const paymentGroup = group.map((txn) => {
    if (txn.sender === config.payer) return { bytes: stage.account('payer').signTransaction(txn) };
    return { bytes: txn.sender === channelId(config) ? signByChannel(config, txn) : encodeTransaction(txn) };
  });
  const supported = (await (await fetch(`${stage.url}/supported`)).json()) as {
    readonly kinds: readonly { readonly scheme: string; readonly extra: Record<string, unknown> }[];
  };
  const { extra } = supported.kinds.find(({ scheme }) => scheme === 'batch-settlement') ?? {};
  const accepted = stage.requirements({
    scheme: 'batch-settlement',
    extra: { ...extra, claimAuthorizer: claimAuthorizerOf(claimKey) },
  });
  const voucher = signVoucher(sessionKey, channelId(config), 1n);
  const deposit = { amount: DEPOSIT, paymentGroup };
  const payload = encodeChannelPayload({ type: 'deposit', channelConfig: config, voucher, deposit });
  return { x402Version: 2, accepted, payload };
}

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
  ['a close', async () => closingGroup(config, 1n, await terms())],
  ['a handing over', async () => handingOverGroup(config, 1n, await terms())],
  ['a handing over without the lease', async () => withoutLease(handingOverGroup(config, 1n, await terms()))],
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
