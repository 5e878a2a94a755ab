import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentMiddleware } from '@avm402/server';
import { createSqliteRedemptionStore } from '@avm402/server/sqlite';
import express from 'express';
import { ask, paymentFor } from './buyer.ts';
import type { Market } from '../market.ts';

export interface FreeRows {
  readonly statuses: readonly number[];
  /** Rows left in the seller's store. */
  readonly rows: number;
}

/** Sends payments in rounds of 30 to a seller who gives each of them back. */
export async function givePaymentsBack(market: Market, rounds: number): Promise<FreeRows> {
  const folder = await mkdtemp(join(tmpdir(), 'growth-'));
  const path = join(folder, 'store.sqlite');
  const store = createSqliteRedemptionStore({ path });
  const app = express();
  const routes = { 'GET /goods': { accepts: market.accepts } };
  app.use(paymentMiddleware(routes, market.resourceServer(), { onEvent: () => undefined, store }));
  app.get('/goods', (_request, response) => void response.sendStatus(404));
  const url = `${await market.open(app)}/goods`;
  const statuses: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const buy = async (): Promise<number> => (await ask(url, await paymentFor(market, url))).status;
    statuses.push(...(await Promise.all(Array.from({ length: 30 }, buy))));
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const { rows } = { rows: 0, ...database.prepare('SELECT count(*) AS rows FROM redemptions').get() };
  database.close();
  store.close();
  await rm(folder, { recursive: true });
  console.log(`${statuses.length} payments given back left ${rows} rows`);
  return { statuses, rows };
}
