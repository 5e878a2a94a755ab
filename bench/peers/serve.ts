import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A variable that the bench sets. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

/** Serves an application, prints the ready line that the bench waits for, and ends with SIGTERM. */
export async function serveHttp(name: string, app: RequestListener): Promise<void> {
  const server = createServer(app);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`${name} listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  process.once('SIGTERM', () => process.exit(0));
}
