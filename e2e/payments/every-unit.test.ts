import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createPayer } from '@avm402/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { developmentAccounts } from '@avm402/devnode';
import { createSeller } from '@avm402/server';
import { createSqliteChannelStore, createSqliteRedemptionStore } from '@avm402/server/sqlite';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Market, openMarket } from '../market.ts';
import { sendFrom } from '../send-from.ts';

const EVERY_UNIT = 2n ** 64n - 1n;
/** The first asset of the chain. */
const ASSET = 1001n;
const { facilitator, payer8: second, payer3, merchant: shop } = developmentAccounts();
const [issuer, merchant] = [payer3, shop].map(({ privateKey }) => parseAccount(privateKey)) as [Account, Account];

let folder: string;
let market: Market;
let algod: AlgodClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-every-unit-'));
  market = await openMarket({
    AVM_PRIVATE_KEY: `${facilitator.privateKey},${second.privateKey}`,
    SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
    SPONSOR_ASSETS: String(ASSET),
    SPONSOR_MIN_AMOUNT: '1',
    CHANNEL_MIN_DEPOSIT: '1',
    CHANNEL_MIN_ROUNDS: '1000',
  });
  algod = createAlgodClient(market.node);
  const parameters = { total: EVERY_UNIT, decimals: 19, unitName: 'ALL' };
  await sendFrom(algod, issuer, { type: 'acfg', assetId: 0n, parameters });
  await move(merchant, merchant, 0n);
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const move = (from: Account, to: Account, amount: bigint): Promise<string> =>
  sendFrom(algod, from, { type: 'axfer', assetId: ASSET, receiver: to.address, amount });
const has = ({ address }: Account): bigint => market.node.balance(address).assets.get(ASSET) ?? 0n;

it.each(['exact', 'upto', 'batch-settlement'] as const)(
  'a buyer pays every unit that there is of an asset of 19 decimals, over stores in files (%s)',
  async (scheme) => {
    const buyer = accountFromSeed(new Uint8Array(32).fill(scheme.length));
    await market.node.fund(buyer.address, 1_000_000n);
    await move(buyer, buyer, 0n);
    await move(issuer, buyer, EVERY_UNIT);
    const seller = createSeller({
      facilitator: market.facilitatorUrl,
      store: createSqliteRedemptionStore({ path: join(folder, `${scheme}-redemptions.sqlite`) }),
      channels: { store: createSqliteChannelStore({ path: join(folder, `${scheme}-channels.sqlite`) }) },
    });
    const price = { asset: String(ASSET), amount: String(EVERY_UNIT) };
    const accepts = await seller.accepts({ price, payTo: merchant.address, schemes: [scheme] });
    const app = express().get('/all', seller.paid({ accepts }), (_request, response) => void response.send('all'));
    const limits = { perPayment: EVERY_UNIT, perDay: EVERY_UNIT };
    const payer = createPayer({
      account: buyer,
      networks: { 'algorand:*': algod },
      channels: {},
      spend: { assets: [{ network: ALGORAND_TESTNET, asset: String(ASSET), limits }] },
    });
    expect(await (await payer.fetch(`${await market.open(app)}/all`)).text()).toBe('all');
    await seller.channels?.stop({ close: true });
    expect([has(buyer), has(merchant)]).toEqual([0n, EVERY_UNIT]);
    await move(merchant, issuer, EVERY_UNIT);
  },
);
