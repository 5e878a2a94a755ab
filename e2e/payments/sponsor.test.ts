import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import {
  encodeTransaction,
  type AssetTransferTransaction,
  type PaymentTransaction,
  type Transaction,
} from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { developmentAccounts, type DevelopmentAccountName } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { askFacilitator } from '../ask-facilitator.ts';
import { offerOf } from '../payment.ts';

const accounts = developmentAccounts();
const address = (name: DevelopmentAccountName): string => accounts[name].address;
const payer = parseAccount(accounts.payer.privateKey);

let stack: Stack;
let algod: AlgodClient;
let offer: PaymentRequirements;

beforeAll(async () => {
  stack = await startStack({
    facilitatorEnvironment: { SPONSOR_PAY_TO: address('merchant'), SPONSOR_ANYONE: 'false' },
  });
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const [first] = offerOf(await fetch(`${stack.weather.url}/weather`)).accepts;
  if (!first) throw new Error('nothing is offered');
  offer = first;
});
afterAll(() => stack.stop());

interface Group {
  readonly feePayer: PaymentTransaction;
  readonly payment: AssetTransferTransaction;
  readonly extra: readonly Transaction[];
}

/** A correct sponsored group for the offer, before grouping and signing. */
async function correctGroup(requirements: PaymentRequirements): Promise<Group> {
  const { genesisHash, genesisId, lastRound } = await algod.params();
  const header = { genesisHash, genesisId, firstValid: lastRound, lastValid: lastRound + 1000n };
  const sponsor = String(requirements.extra['feePayer']);
  return {
    feePayer: { ...header, type: 'pay', sender: sponsor, receiver: sponsor, amount: 0n, fee: 2000n },
    payment: {
      ...header,
      type: 'axfer',
      sender: payer.address,
      receiver: requirements.payTo,
      assetId: BigInt(requirements.asset),
      amount: BigInt(requirements.amount),
      fee: 0n,
      note: crypto.getRandomValues(new Uint8Array(16)),
    },
    extra: [],
  };
}

function sign({ feePayer, payment, extra }: Group, accepted: PaymentRequirements): PaymentPayload {
  const grouped = assignGroup([feePayer, payment, ...extra]);
  const paymentGroup = grouped.map((txn) =>
    Buffer.from(txn.sender === payer.address ? payer.signTransaction(txn) : encodeTransaction(txn)).toString('base64'),
  );
  return { x402Version: 2, accepted, payload: { paymentGroup, paymentIndex: 1 } };
}

async function ask(route: 'verify' | 'settle', payment: PaymentPayload, requirements: PaymentRequirements) {
  const { status, answer } = await askFacilitator(stack.facilitator.url, route, payment, requirements);
  expect(status).toBe(200);
  return answer;
}

async function sponsorBalance(): Promise<bigint> {
  return (await algod.account(address('facilitator'))).amount;
}

const drains: Record<string, (group: Group) => Group> = {
  'a second facilitator transaction': (group) => ({
    ...group,
    extra: [{ ...group.feePayer, note: new Uint8Array([1]) }],
  }),
  'a fee above the limit': (group) => ({ ...group, feePayer: { ...group.feePayer, fee: 10_001n } }),
  'a close of the fee payer': (group) => ({
    ...group,
    feePayer: { ...group.feePayer, closeRemainderTo: payer.address },
  }),
  'a rekey of the fee payer': (group) => ({ ...group, feePayer: { ...group.feePayer, rekeyTo: payer.address } }),
  'a foreign receiver': (group) => ({ ...group, feePayer: { ...group.feePayer, receiver: payer.address, amount: 1n } }),
};

describe('the sponsor', () => {
  it.each(Object.keys(drains))('does not sign %s, and keeps its balance', async (name) => {
    const before = await sponsorBalance();
    const drain = drains[name];
    if (!drain) throw new Error(name);
    const payment = sign(drain(await correctGroup(offer)), offer);
    const verdict = await ask('verify', payment, offer);
    const settled = await ask('settle', payment, offer);
    expect(verdict).toMatchObject({ isValid: false, invalidReason: expect.stringMatching(/^invalid_exact_avm_/) });
    expect(settled).toMatchObject({
      success: false,
      errorReason: verdict['invalidReason'],
      transaction: expect.any(String),
    });
    expect(await sponsorBalance()).toBe(before);
  });

  it('does not pay for a receiver outside its policy', async () => {
    const before = await sponsorBalance();
    const foreign = { ...offer, payTo: address('payer3') };
    const payment = sign(await correctGroup(foreign), foreign);
    expect(await ask('settle', payment, foreign)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_not_sponsored',
    });
    expect(await sponsorBalance()).toBe(before);
  });

  it('settles the correct group and pays 2,000 µAlgo for it', async () => {
    const before = await sponsorBalance();
    const payment = sign(await correctGroup(offer), offer);
    expect(await ask('settle', payment, offer)).toMatchObject({ success: true, payer: payer.address });
    expect(before - (await sponsorBalance())).toBe(2000n);
  });
});

describe('a verdict', () => {
  it('for weaker requirements does not serve the seller’s own', async () => {
    const weaker = { ...offer, amount: '1' };
    const group = await correctGroup(weaker);
    const payment = sign(group, weaker);
    expect(await ask('verify', payment, weaker)).toMatchObject({ isValid: true });
    const settled = await ask('settle', { ...payment, accepted: offer }, offer);
    expect(settled).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_amount_mismatch' });
    const merchant = await algod.accountAsset(address('merchant'), BigInt(offer.asset));
    expect(await ask('settle', payment, offer)).toMatchObject({ success: false });
    expect((await algod.accountAsset(address('merchant'), BigInt(offer.asset)))?.amount).toBe(merchant?.amount);
  });
});
