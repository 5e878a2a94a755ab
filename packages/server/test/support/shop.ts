import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@avm402/core/headers';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { SettleResponse } from '@avm402/core/settle-response';
import { HTTPFacilitatorClient, type RouteConfig, type RoutesConfig, x402ResourceServer } from '@x402/core/server';
import express, { type Express } from 'express';
import { expect, onTestFinished } from 'vitest';
import { paymentMiddleware } from '../../src/hosts/express/express.ts';
import type { PaymentOptions } from '../../src/options.ts';
import { type FacilitatorStub, startFacilitatorStub, type StubOptions } from './facilitator-stub.ts';
import { merchant } from './payments.ts';

export const offer = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: merchant } as const;

/** What costs a cent. */
export const route: RouteConfig = { accepts: offer, description: 'A report', mimeType: 'application/json' };

/** Looks until it is as expected; a busy machine may need a while. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 15_000, interval: 5 });
}

/** The answer to a buyer who comes back as long as the outcome is open: on a busy machine a settle call may take too long. */
export async function answerInTheEnd(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  return answer.status === 503 ? answerInTheEnd(url, init) : answer;
}

/** Ends something after the test; what began last ends first. */
export function afterwards(close: () => Promise<void>): void {
  onTestFinished(close);
}

/** A stub that is closed after the test. */
export async function facilitator(options?: StubOptions): Promise<FacilitatorStub> {
  const stub = await startFacilitatorStub(options);
  afterwards(() => stub.close());
  return stub;
}

/** A stock resource server that asks these facilitators. */
export function resources(...stubs: readonly Pick<FacilitatorStub, 'url'>[]): x402ResourceServer {
  const clients = stubs.map(({ url }) => new HTTPFacilitatorClient({ url }));
  return new x402ResourceServer(clients).register('algorand:*', new ExactAvmServer());
}

/** Starts an HTTP server with the app; it is closed after the test. */
export async function listen(app: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => closeServer(server));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.closeAllConnections();
  server.close();
  await closed;
}

export interface Shop {
  readonly url: string;
  readonly stub: FacilitatorStub;
  readonly app: Express;
  /** How often a handler ran. */
  readonly runs: () => number;
  /** How many clients have left before they were answered. */
  readonly left: () => number;
}

export interface ShopOptions extends PaymentOptions {
  readonly routes?: RoutesConfig;
  readonly stub?: FacilitatorStub;
  /** Sets up handlers after the middleware; default: GET /report answers JSON. */
  readonly handlers?: (app: Express, count: () => void) => void;
  /** Sets up what runs before the middleware. */
  readonly before?: (app: Express) => void;
}

/** An Express app that sells `GET /report` for a cent. */
export async function openShop({ routes, stub, handlers, before, ...options }: ShopOptions = {}): Promise<Shop> {
  const facilitatorStub = stub ?? (await facilitator());
  const app = express();
  let runs = 0;
  const left = countLeaving(app);
  before?.(app);
  app.use(
    paymentMiddleware(routes ?? { 'GET /report': route }, resources(facilitatorStub), {
      onEvent: () => undefined,
      ...options,
    }),
  );
  const count = (): void => void runs++;
  if (handlers) handlers(app, count);
  else {
    app.get('/report', (_request, response) => {
      count();
      response.json({ report: runs });
    });
  }
  return { url: await listen(app), stub: facilitatorStub, app, runs: () => runs, left };
}

/** Counts the clients that leave before they are answered. */
export function countLeaving(app: Express): () => number {
  let left = 0;
  app.use(({ socket }, response, next) => {
    let isFinished = false;
    // Before Node 24 a broken connection finishes the response, too.
    response.once('finish', () => (isFinished = !socket.destroyed));
    response.once('close', () => {
      if (!isFinished) left++;
    });
    next();
  });
  return () => left;
}

/** The offer of a 402. */
export function offerIn(response: Response): PaymentRequired {
  const header = response.headers.get('PAYMENT-REQUIRED');
  if (header === null) throw new Error(`HTTP ${response.status} without an offer`);
  return decodePaymentRequiredHeader(header);
}

/** The receipt of an answer, if it has one. */
export function receiptIn(response: Response): SettleResponse | undefined {
  const header = response.headers.get('PAYMENT-RESPONSE');
  return header === null ? undefined : decodePaymentResponseHeader(header);
}

/** Asks without payment. */
export async function offerAt(url: string, init?: RequestInit): Promise<PaymentRequired> {
  return offerIn(await fetch(url, init));
}
