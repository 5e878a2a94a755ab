import type { RequestListener } from 'node:http';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type Devnode, type DevnodeOptions, startDevnode } from '@avm402/devnode';
import { parseConfig, startFacilitator } from '@avm402/facilitator';
import { HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { served } from './served.ts';

/** A node and a facilitator in this process, and any number of shops that sell through them. */
export interface Market extends AsyncDisposable {
  readonly node: Devnode;
  readonly facilitatorUrl: string;
  /** A cent in USDC for the merchant. */
  readonly accepts: {
    readonly scheme: 'exact';
    readonly price: '$0.01';
    readonly network: typeof ALGORAND_TESTNET;
    readonly payTo: string;
  };
  /** A resource server that asks the facilitator. */
  resourceServer(): x402ResourceServer;
  /** Serves an app until the market closes; resolves with its origin. */
  open(app: RequestListener): Promise<string>;
}

/** @param lineTo - starts what the facilitator reaches the node through; default: nothing is between them */
export async function openMarket(
  environment: Readonly<Record<string, string>> = {},
  nodeOptions: DevnodeOptions = {},
  lineTo?: (nodeUrl: string) => Promise<{ readonly url: string; stop(): Promise<void> }>,
): Promise<Market> {
  await using started = new AsyncDisposableStack();
  const node = await startDevnode({ port: 0, network: 'testnet', ...nodeOptions });
  started.defer(() => node.stop());
  const line = await lineTo?.(node.url);
  started.defer(() => line?.stop());
  const { facilitator, merchant } = node.accounts;
  const config = parseConfig({
    PORT: '0',
    ALGOD_URL: line?.url ?? node.url,
    ALGOD_TOKEN: node.token,
    AVM_PRIVATE_KEY: facilitator.privateKey,
    SETTLEMENT_STORE: ':memory:',
    SPONSOR_PAY_TO: merchant.address,
    ...environment,
  });
  const running = await startFacilitator(config);
  started.defer(() => running.stop());
  const closing = started.move();
  return {
    node,
    facilitatorUrl: running.url,
    accepts: { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: merchant.address },
    resourceServer: () => {
      const client = new HTTPFacilitatorClient({ url: running.url });
      return new x402ResourceServer(client).register('algorand:*', new ExactAvmServer());
    },
    open: async (app) => {
      const shop = await served(app);
      closing.defer(() => shop.stop());
      return shop.url;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
