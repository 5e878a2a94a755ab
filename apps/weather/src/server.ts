import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Network } from '@x402/core/types';
import type { Config } from './config.ts';
import { weatherApp } from './weather-app.ts';

/** Time that requests under way get to finish when the program is stopped: longer than a settlement takes. */
const DRAIN_MS = 20_000;

export interface RunningWeather {
  /** Origin. */
  readonly url: string;
  /** Stops accepting requests, and waits for those under way. */
  stop(): Promise<void>;
}

/** Starts the app. Rejects if an offer can't be made, or the port is taken. */
export async function startWeather(config: Config, networks: readonly Network[]): Promise<RunningWeather> {
  const { app, ready } = weatherApp(config, networks);
  await ready;
  const server = createServer(app);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return {
    url: `http://${config.host}:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}
