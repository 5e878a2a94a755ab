import { toClientAvmSigner, toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme as StockClientScheme } from '@x402/avm/exact/client';
import { ExactAvmScheme as StockFacilitatorScheme } from '@x402/avm/exact/facilitator';
import { ExactAvmScheme as StockServerScheme } from '@x402/avm/exact/server';
import { x402Facilitator } from '@x402/core/facilitator';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockMiddleware, x402ResourceServer } from '@x402/express';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { x402Facilitator as NewestFacilitator } from '@x402-newest/core/facilitator';
import { HTTPFacilitatorClient as NewestFacilitatorClient } from '@x402-newest/core/server';
import {
  paymentMiddleware as newestMiddleware,
  x402ResourceServer as NewestResourceServer,
} from '@x402-newest/express';
import { wrapFetchWithPayment as newestWrap, x402Client as NewestClient } from '@x402-newest/fetch';
import express, { type Express, type RequestHandler } from 'express';
import { type Account, parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createPayingFetch } from '@avm402/client';
import { type Mandate, mandateSigner } from '@avm402/client/mandate';
import type { Network } from '@avm402/core/network';
import { developmentAccounts } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';
import { paymentMiddleware } from '@avm402/server';
import { type Served, served } from '../served.ts';

/** Where a make finds its chain. */
export interface ChainAccess {
  readonly url: string;
  readonly token: string;
}

/** The terms of a route, the same for every make. */
interface Sale {
  readonly network: Network;
  readonly payTo: string;
  readonly isUpfront: boolean;
}

/** The payer: an account, or a mandate's agent. */
export type Payer =
  | { readonly privateKey: string; readonly mandate?: never }
  | { readonly mandate: Mandate; readonly agentKey: Account };

/** Client, resource server and facilitator of one maker. */
export interface Make {
  readonly name: string;
  readonly client: (payer: Payer, chain: ChainAccess) => typeof fetch;
  readonly server: (sale: Sale, facilitatorUrl: string) => Express;
  readonly facilitator: (terms: FacilitatorTerms) => Promise<Served>;
  /** The stock scheme always offers to pay the fee. */
  readonly alwaysSponsors: boolean;
}

interface FacilitatorTerms {
  readonly spellings: readonly Network[];
  readonly isSponsor: boolean;
  readonly chain: ChainAccess;
}

const sponsor = developmentAccounts().facilitator;

function routes({ network, payTo, isUpfront }: Sale) {
  const extra = isUpfront ? { extra: { paymentFlow: 'upfront' } } : {};
  const accepts = { scheme: 'exact', price: '$0.01', network, payTo, ...extra };
  return { 'GET /weather': { accepts, description: 'Weather', mimeType: 'application/json' } };
}

function selling(middleware: RequestHandler): Express {
  const app = express().use(middleware);
  return app.get('/weather', (_request, response) => void response.json({ report: { weather: 'sunny' } }));
}

export const ours: Make = {
  name: 'avm402',
  client(payer, chain) {
    const networks = { 'algorand:*': chain };
    if (payer.mandate === undefined) return createPayingFetch({ account: parseAccount(payer.privateKey), networks });
    return createPayingFetch({ ...payer, networks });
  },
  server(sale, url) {
    const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url }));
    return selling(paymentMiddleware(routes(sale), resources.register('algorand:*', new ExactAvmServer())));
  },
  alwaysSponsors: false,
  async facilitator({ isSponsor, chain }) {
    const sponsorship = { account: parseAccount(sponsor.privateKey), anyone: true };
    const networks = [{ algods: [createAlgodClient(chain)] }];
    const facilitator = createFacilitator({ networks, ...(isSponsor && { sponsorship }) });
    const app = createFacilitatorApp(facilitator);
    const stop = async (): Promise<void> => {
      await app.close();
      await facilitator.close();
    };
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), stop };
  },
};

/** The parts of a stock facilitator that its Express example uses. */
interface StockFacilitator {
  getSupported(): unknown;
  verify(payload: never, requirements: never): Promise<unknown>;
  settle(payload: never, requirements: never): Promise<unknown>;
}

/** Serves a stock facilitator as upstream's example does. */
function overHttp(facilitator: StockFacilitator): Express {
  const app = express().use(express.json());
  app.get('/supported', (_request, response) => void response.json(facilitator.getSupported()));
  app.post('/verify', ({ body }, response, next) => {
    facilitator
      .verify(body.paymentPayload as never, body.paymentRequirements as never)
      .then((verdict) => response.json(verdict), next);
  });
  app.post('/settle', ({ body }, response, next) => {
    facilitator
      .settle(body.paymentPayload as never, body.paymentRequirements as never)
      .then((outcome) => response.json(outcome), next);
  });
  return app;
}

function clientScheme(payer: Payer, { url, token }: ChainAccess): StockClientScheme {
  const signer =
    payer.mandate === undefined
      ? toClientAvmSigner(payer.privateKey)
      : mandateSigner({ ...payer, algod: createAlgodClient({ url, token }) });
  return new StockClientScheme(signer, { algodUrl: url, algodToken: token });
}

const facilitatorScheme = ({ url, token }: ChainAccess): StockFacilitatorScheme =>
  new StockFacilitatorScheme(toFacilitatorAvmSigner(sponsor.privateKey, { testnetUrl: url, algodToken: token }));

export const stock: Make = {
  name: 'stock 2.26',
  client: (payer, chain) =>
    wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', clientScheme(payer, chain))),
  server(sale, url) {
    const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url }));
    return selling(stockMiddleware(routes(sale), resources.register(sale.network, new StockServerScheme())));
  },
  alwaysSponsors: true,
  facilitator: ({ spellings, chain }) =>
    served(overHttp(new x402Facilitator().register([...spellings], facilitatorScheme(chain)))),
};

const newest: Make = {
  name: 'stock 2.27',
  client: (payer, chain) => newestWrap(fetch, new NewestClient().register('algorand:*', clientScheme(payer, chain))),
  server(sale, url) {
    const resources = new NewestResourceServer(new NewestFacilitatorClient({ url }));
    return selling(newestMiddleware(routes(sale), resources.register(sale.network, new StockServerScheme())));
  },
  alwaysSponsors: true,
  facilitator: ({ spellings, chain }) =>
    served(overHttp(new NewestFacilitator().register([...spellings], facilitatorScheme(chain)))),
};

export const makes: readonly Make[] = [ours, stock, newest];
