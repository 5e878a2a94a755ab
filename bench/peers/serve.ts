import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { Network } from '@x402/core/types';
import express, { type Express, type RequestHandler } from 'express';

/** Returns a variable that the bench sets. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

/** The network as CAIP-2 names it. The bench sets it, so that no peer loads a package of the other make for a name. */
export const network = required('NETWORK') as Network;

/** Serves an application, prints the ready line that the bench waits for, and ends with SIGTERM. */
export async function serve(app: Express): Promise<void> {
  const server = app.listen(0, '127.0.0.1');
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  console.log(`${basename(process.argv[1] ?? '', '.ts')} listening on http://127.0.0.1:${port}`);
  process.once('SIGTERM', () => process.exit(0));
}

const accepts = {
  scheme: 'exact',
  price: '$0.01',
  network,
  payTo: required('AVM_ADDRESS'),
  // With a block for every payment rounds pass quickly: let a payment live as long as the protocol allows.
  maxTimeoutSeconds: 2700,
};
const weather = { accepts, description: 'Weather', mimeType: 'application/json' };

/** The offer of all servers. The stock packages know only MainNet and TestNet. */
export const routes = {
  'GET /weather': weather,
  'GET /weather-upfront': { ...weather, accepts: { ...accepts, extra: { paymentFlow: 'upfront' } } },
} as const;

/** The offer that only our servers make. */
export const early = {
  'GET /weather-accepted': { ...weather, accepts: { ...accepts, extra: { paymentFlow: 'accepted' } } },
} as const;

/** The same application for every middleware: handlers for sale and a free one. */
export async function sell(payments: RequestHandler & { readonly ready?: Promise<unknown> }): Promise<void> {
  const app = express().use(payments);
  for (const path of ['/weather', '/weather-upfront', '/weather-accepted', '/free']) {
    app.get(path, (_request, response) => void response.json({ report: { weather: 'sunny', temperature: 21 } }));
  }
  await payments.ready;
  await serve(app);
}
