import { ExactAvmScheme, toClientAvmSigner } from '@x402/avm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { TESTNET } from '@avm402/algorand/networks';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { startParamsServer, type ParamsServer } from './params-server.ts';

const seed = new Uint8Array(32).fill(1);
const offer = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: TESTNET.usdcAssetId.toString(),
  amount: '10000',
  payTo: accountFromSeed(new Uint8Array(32).fill(2)).address,
  maxTimeoutSeconds: 300,
  extra: { feePayer: accountFromSeed(new Uint8Array(32).fill(3)).address },
};

let server: ParamsServer;
beforeAll(async () => {
  server = await startParamsServer();
});
afterAll(() => server.stop());

/** CPU milliseconds of one payment; other work on the machine does not count. */
async function cpuPerPayment(payments: number, create: () => Promise<unknown>): Promise<number> {
  for (let index = 0; index < payments; index++) await create();
  const before = process.cpuUsage();
  for (let index = 0; index < payments; index++) await create();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / payments;
}

it('creates a payment ten times faster than the stock scheme on the same algod', async () => {
  const ours = new ExactAvmClient({ account: accountFromSeed(seed), algod: () => server.algod });
  const stock = new ExactAvmScheme(toClientAvmSigner(encodePrivateKey(seed)), { algodUrl: server.algod.url });
  const stockTime = await cpuPerPayment(25, () => stock.createPaymentPayload(2, offer));
  const ourTime = await cpuPerPayment(2000, () => ours.createPaymentPayload(2, offer));
  expect(stockTime / ourTime).toBeGreaterThan(10);
});
