import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { Devnode } from '@avm402/devnode';
import { createFacilitator } from '@avm402/facilitator';
import { paymentMiddleware } from '@avm402/server';
import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme as StockFacilitatorScheme } from '@x402/avm/exact/facilitator';
import { ExactAvmScheme as StockServerScheme } from '@x402/avm/exact/server';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockMiddleware, x402ResourceServer } from '@x402/express';
import express, { type RequestHandler } from 'express';
import { type Served, served } from '../../served.ts';

/** Opens a shop that sells one thing, with a facilitator of its own. */
export type OpenShop = (node: Devnode, handler: RequestHandler) => Promise<Served>;

const routes = (node: Devnode) => ({
  'GET /weather': {
    accepts: { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: node.accounts.merchant.address },
    description: 'Weather',
    mimeType: 'application/json',
  },
});

/** Our middleware and facilitator. */
export const openOurShop: OpenShop = async (node, handler) => {
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient(node)] }],
    sponsorship: { account: parseAccount(node.accounts.facilitator.privateKey), anyone: true },
  });
  await facilitator.start();
  const resources = new x402ResourceServer(facilitator).register(ALGORAND_TESTNET, new ExactAvmServer());
  const app = express()
    .use(paymentMiddleware(routes(node), resources))
    .get('/weather', handler);
  const shop = await served(app);
  return {
    url: `${shop.url}/weather`,
    async stop() {
      await shop.stop();
      await facilitator.close();
    },
  };
};

/** The stock middleware and facilitator. */
export const openStockShop: OpenShop = async (node, handler) => {
  const signer = toFacilitatorAvmSigner(node.accounts.facilitator.privateKey, {
    testnetUrl: node.url,
    algodToken: node.token,
  });
  const facilitator = new x402Facilitator().register(ALGORAND_TESTNET, new StockFacilitatorScheme(signer));
  const client: FacilitatorClient = {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as Awaited<ReturnType<FacilitatorClient['getSupported']>>,
  };
  const resources = new x402ResourceServer(client).register(ALGORAND_TESTNET, new StockServerScheme());
  const app = express()
    .use(stockMiddleware(routes(node), resources))
    .get('/weather', handler);
  const shop = await served(app);
  return { url: `${shop.url}/weather`, stop: () => shop.stop() };
};
