import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { UptoAvmServer } from '@avm402/avm/upto/server';
import { payingPage } from '@avm402/paying-page';
import {
  charge,
  createSeller,
  createMemoryChannelStore,
  type PaymentOptions,
  type Seller,
  x402ResourceServer,
} from '@avm402/server';
import type { Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { HTTPFacilitatorClient } from '@x402/core/server';
import express from 'express';
import helmet from 'helmet';
import { offerOf } from '../payment.ts';
import { type Served, served } from '../served.ts';

/** What a description may be made of, if somebody else writes it. */
export const HOSTILE = `</h1></script><script>globalThis.broken = 1</script><img src=x onerror="globalThis.broken = 1">${'W'.repeat(200)}‮`;

/** An article with what pages have: a script of its own, and a link to the page beside it. */
const ARTICLE = `<!doctype html><title>News</title><h1>Good news</h1><a href="other">More</a>
<script src="/article.js"></script>`;

export interface PayingShop extends Served {
  readonly seller: Seller;
  /** Dollars that GET /changing costs from now on. */
  price: string;
}

/** A seller whose page for people pays, behind the headers that helmet sets. */
export async function openPayingShop(
  { facilitator, node, weather }: Stack,
  options: PaymentOptions = {},
): Promise<PayingShop> {
  const [offer] = offerOf(await fetch(`${weather.url}/weather`)).accepts;
  if (!offer) throw new Error('the weather server offers nothing');
  const { network, payTo } = offer;
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer())
    .register('algorand:*', new UptoAvmServer());
  const page = payingPage({ networks: { [network]: { url: node.url, token: NODE_TOKEN } } });
  const seller = createSeller({ ...options, server, page, channels: { store: createMemoryChannelStore() } });
  const at = (price: string) => seller.accepts({ price, payTo, network });
  const shop = { price: '$0.01' };
  const app = express().use(helmet());
  app.use(
    seller.middleware({
      'GET /weather': { accepts: await at('$0.01'), description: 'The weather, now' },
      'GET /article': { accepts: await at('$0.01'), description: 'An article' },
      'GET /costly': { accepts: await at('$1000000000'), description: 'A planet' },
      'GET /hostile': { accepts: await at('$0.01'), description: HOSTILE },
      'GET /changing': { accepts: { scheme: 'exact', price: () => shop.price, payTo, network } },
      'GET /forecast': {
        accepts: await seller.accepts({
          price: '$0.01',
          payTo,
          network,
          schemes: ['exact', 'batch-settlement', 'upto'],
        }),
        description: 'The weather of the next days',
      },
    }),
  );
  app.get('/article', (_request, response) => void response.send(ARTICLE));
  app.get('/article.js', (_request, response) => {
    // The article's frame is of no origin, and helmet lends to the same one alone.
    response.set('Cross-Origin-Resource-Policy', 'cross-origin').type('js').send('document.title = "It runs"');
  });
  app.get('/forecast', (_request, response) => {
    charge(response, 400n);
    response.json({ forecast: 'sunny' });
  });
  app.get('/{*path}', (_request, response) => void response.json({ report: 'sunny' }));
  return Object.assign(shop, await served(app), { seller });
}
