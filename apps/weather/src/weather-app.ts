import { ExactAvmServer } from '@avm402/avm/exact/server';
import { declareDiscovery, paymentMiddleware } from '@avm402/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { Network } from '@x402/core/types';
import { x402ResourceServer } from '@x402/express';
import express, { type Express } from 'express';
import helmet from 'helmet';
import type { Config } from './config.ts';
import { currentWeather } from './current-weather.ts';

export interface WeatherApp {
  readonly app: Express;
  /** Resolves when the facilitator was asked and the offer can be made. */
  readonly ready: Promise<void>;
}

/** The app: one route with a price, offered on each of the networks. */
export function weatherApp({ address, facilitatorUrl }: Config, networks: readonly Network[]): WeatherApp {
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const resources = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const payments = paymentMiddleware(
    {
      'GET /weather': {
        accepts: networks.map((network) => ({ scheme: 'exact', price: '$0.01', network, payTo: address })),
        description: 'The weather, now',
        mimeType: 'application/json',
        extensions: declareDiscovery({
          output: { example: { report: { weather: 'sunny', temperature: 70, timestamp: '2026-01-01T12:00:00.000Z' } } },
        }),
      },
    },
    resources,
  );
  const app = express();
  app.use(helmet());
  app.use(payments);
  app.get('/weather', (_request, response) => {
    response.json({ report: currentWeather(new Date()) });
  });
  return { app, ready: payments.ready };
}
