import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port on loopback that nobody uses at this moment: one below 32,768, because connections of other programs take those
 * above at any moment.
 */
export async function unusedPort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 22_000);
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return unusedPort();
  }
  probe.close();
  await once(probe, 'close');
  return port;
}
