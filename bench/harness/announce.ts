import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Prints the ready line that the harness waits for, and ends with SIGTERM. */
export function announce(name: string, server: Server): void {
  const { port } = server.address() as AddressInfo;
  console.log(`${name} listening on http://127.0.0.1:${port}`);
  process.once('SIGTERM', () => process.exit(0));
}
