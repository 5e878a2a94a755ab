import { fileURLToPath } from 'node:url';
import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type DevelopmentAccountName, developmentAccounts } from '@avm402/devnode';
import { type Program, startProgram } from '@avm402/stack/program';
import { NODE_TOKEN, startFacilitator, startNode } from '@avm402/stack/programs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askFacilitator, facilitatorRequest } from '../ask-facilitator.ts';
import { firstOffered, offerOf, paidHeaders, payFor, signPayment } from '../payment.ts';
import { sendFrom } from '../send-from.ts';
import { inTurn, startFlood } from './flood.ts';
import { slowPayment } from './slow-payment.ts';

const PURCHASES = 20;
const P95_MS = 2_000;
/** Where attackers come from; the buyer is at 127.0.0.1. */
const ELSEWHERE = '127.0.0.2';

const accounts = developmentAccounts();
const programs = new AsyncDisposableStack();
let node: Program;
let facilitator: Program;
let shop: Program;
let algod: AlgodClient;
let accepted: PaymentRequirements;

beforeAll(async () => {
  const keep = (program: Program): Program => programs.adopt(program, async () => void (await program.stop()));
  const { address: PAY_TO } = accounts.merchant;
  node = keep(await startNode('--network', 'testnet'));
  facilitator = keep(await startFacilitator(node.url, { SPONSOR_PAY_TO: PAY_TO, SETTLEMENT_STORE: ':memory:' }));
  const command = [fileURLToPath(new URL('denial-shop.ts', import.meta.url))];
  const environment = { FACILITATOR_URL: facilitator.url, PAY_TO };
  shop = keep(await startProgram({ name: 'shop', command, environment }));
  algod = createAlgodClient({ url: node.url, token: NODE_TOKEN });
  accepted = firstOffered(offerOf(await fetch(`${shop.url}/goods`)));
});
afterAll(() => programs.disposeAsync());

function account(name: DevelopmentAccountName): Account {
  return parseAccount(accounts[name].privateKey);
}

function payment(from: Account, requirements = accepted): Promise<PaymentPayload> {
  return signPayment(requirements, from, algod);
}

async function payments(count: number, from: () => Account, requirements = accepted): Promise<PaymentPayload[]> {
  const made = [];
  for (let index = 0; index < count; index++) made.push(await payment(from(), requirements));
  return made;
}

const stranger = (): Account => accountFromSeed(crypto.getRandomValues(new Uint8Array(32)));

function toFacilitator(route: 'verify' | 'settle', made: PaymentPayload) {
  return { url: `${facilitator.url}/${route}`, ...facilitatorRequest(made) };
}

function toShop(path: string, made: PaymentPayload) {
  return { url: `${shop.url}${path}`, headers: paidHeaders(made) };
}

/** Sends away all that an account has in the asset. */
async function empty(owner: Account): Promise<void> {
  const assetId = BigInt(accepted.asset);
  const { amount = 0n } = (await algod.accountAsset(owner.address, assetId)) ?? {};
  await sendFrom(algod, owner, { type: 'axfer', receiver: accounts.payer3.address, assetId, amount });
}

/** Each begins an attack and says how to end it. */
const attacks = {
  'payments with many signatures that are slow to verify': async () => {
    const { genesisHash, genesisId } = await algod.params();
    const chain = { genesisId, genesisHash: Buffer.from(genesisHash).toString('base64') };
    const hostile = [slowPayment(60, accepted, chain), slowPayment(1, accepted, chain)];
    const next = inTurn([
      ...hostile.map((made) => toShop('/goods', made)),
      ...hostile.map((made) => toFacilitator('verify', made)),
    ]);
    return startFlood({ connections: 8, from: ELSEWHERE, next });
  },
  'paths of 15 KB that match in many ways': async () => {
    const paths = [`/repos${'/tree/raw'.repeat(1_600)}`, `/flights/${'-'.repeat(14_900)}`];
    const next = inTurn(paths.map((path) => ({ url: `${shop.url}${path}` })));
    return startFlood({ connections: 4, from: ELSEWHERE, next });
  },
  'payments of accounts without funds over 600 connections': async () => {
    const made = await payments(600, stranger);
    const next = inTurn(made.map((one) => toShop('/goods', one)));
    return startFlood({ connections: 600, from: ELSEWHERE, next });
  },
  'settlements of payments whose account was emptied after they were verified': async () => {
    const owner = account('payer2');
    const made = await payments(500, () => owner, { ...accepted, extra: {} });
    for (const one of made) await askFacilitator(facilitator.url, 'verify', one);
    await empty(owner);
    return startFlood({
      connections: 8,
      from: ELSEWHERE,
      next: inTurn(made.map((one) => toFacilitator('settle', one))),
    });
  },
  'payments that are given back again and again': async () => {
    const owner = account('payer4');
    const made = await payments(300, () => owner);
    return startFlood({ connections: 16, from: ELSEWHERE, next: inTurn(made.map((one) => toShop('/nothing', one))) });
  },
} as const;

/** The merchant's balance of the asset. */
async function earned(): Promise<bigint> {
  return (await algod.accountAsset(accounts.merchant.address, BigInt(accepted.asset)))?.amount ?? 0n;
}

/** Milliseconds of each purchase, from the first request to the goods; fails at the first that is not served. */
async function purchases(): Promise<number[]> {
  const took = [];
  for (let count = 0; count < PURCHASES; count++) {
    const start = performance.now();
    const made = await payFor(offerOf(await fetch(`${shop.url}/goods`)), accounts.payer, node.url);
    const answer = await fetch(`${shop.url}/goods`, { headers: paidHeaders(made) });
    expect([answer.status, await answer.text()]).toEqual([200, 'goods']);
    took.push(performance.now() - start);
  }
  return took.toSorted((one, other) => one - other);
}

describe('a genuine buyer is served in good time', () => {
  it.each(Object.entries(attacks))('while others send %s', { timeout: 300_000 }, async (name, begin) => {
    const attack = await begin();
    await expect.poll(() => attack.answers.size, { timeout: 60_000 }).toBeGreaterThan(0);
    const before = await earned();
    const took = await purchases();
    await attack.stop();
    // On chain: each purchase was paid for, and nothing else was.
    expect((await earned()) - before).toBe(BigInt(PURCHASES) * BigInt(accepted.amount));
    const p95 = took[Math.ceil(0.95 * took.length) - 1] ?? Infinity;
    const answers = JSON.stringify(Object.fromEntries(attack.answers));
    console.log(
      `${name}: p50 ${Math.round(took[PURCHASES / 2] ?? 0)} ms, p95 ${Math.round(p95)} ms; attackers got ${answers}`,
    );
    expect(p95).toBeLessThan(P95_MS);
  });
});
