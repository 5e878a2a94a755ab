import type { SchemeNetworkClient } from '@x402/core/types';
import express from 'express';
import type { ClientJob } from '../market/client.ts';
import { driveLoad } from '../measure/load.ts';
import { requirements } from '../market/payments.ts';
import { serve } from './serve.ts';

/** How a make pays: by its fetch, and by its scheme alone. */
export interface Buyer {
  readonly fetch: typeof fetch;
  readonly scheme: SchemeNetworkClient;
}

/** Does the jobs that are posted, one after another. Each payer has one buyer. */
export async function serveJobs(buyerOf: (privateKey: string) => Buyer): Promise<void> {
  const buyers = new Map<string, Buyer>();
  const known = (privateKey: string): Buyer => {
    const buyer = buyers.get(privateKey) ?? buyerOf(privateKey);
    buyers.set(privateKey, buyer);
    return buyer;
  };
  const app = express().use(express.json());
  app.post('/', (asked, response, next) => {
    const { url, privateKeys, operations, paceMs } = asked.body as ClientJob;
    const workers = privateKeys.map(known);
    const operate = async (_: number, worker: number): Promise<void> => {
      const buyer = workers[worker];
      if (buyer === undefined) throw new Error('nobody pays');
      await (url === undefined ? create(buyer) : pay(buyer, url));
    };
    driveLoad({ workers: workers.length, operations, paceMs, operate }).then((result) => response.json(result), next);
  });
  await serve(app);
}

async function create({ scheme }: Buyer): Promise<void> {
  const { payload } = await scheme.createPaymentPayload(2, requirements);
  if (Object(payload['paymentGroup']).length !== 2) throw new Error('not the payment asked for');
}

/** Reads the whole answer and fails unless it was paid and settled. */
async function pay({ fetch: fetchPaid }: Buyer, url: string): Promise<void> {
  const response = await fetchPaid(url);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  if (!response.headers.has('PAYMENT-RESPONSE')) throw new Error('no receipt');
  if (!body.includes('sunny')) throw new Error('not the report');
}
