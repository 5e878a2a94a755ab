import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { Express } from 'express';

/** What both servers sell. The stock packages know only MainNet and TestNet. */
export function weatherRoutes(payTo: string) {
  const accepts = {
    scheme: 'exact',
    price: '$0.01',
    network: ALGORAND_TESTNET,
    payTo,
    // With a block for every payment rounds pass quickly: let a payment live as long as the protocol allows.
    maxTimeoutSeconds: 2700,
  };
  const weather = { accepts, description: 'Weather', mimeType: 'application/json' };
  return {
    'GET /weather': weather,
    'GET /weather-upfront': { ...weather, accepts: { ...accepts, extra: { paymentFlow: 'upfront' } } },
  } as const;
}

/** The same handlers for every server: two for sale and a free one. */
export function addHandlers(app: Express): void {
  for (const path of ['/weather', '/weather-upfront', '/free']) {
    app.get(path, (_request, response) => void response.json({ report: { weather: 'sunny', temperature: 21 } }));
  }
}
