import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * The wanted TCP port on loopback if it is free, otherwise the next free one above it. 0 stays 0: any port. Tests ask for
 * ports below 32,768, because connections of other programs take those above at any moment.
 */
export async function freePort(wanted: number): Promise<number> {
  if (wanted === 0) return 0;
  for (let port = wanted; port < wanted + 100; port++) {
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${wanted} to ${wanted + 99}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
  });
}
