import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../bin/avm402-console.js', import.meta.url));

it('says that its port is taken, and how to choose another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [program], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: String(port), ALGOD_URL: 'http://127.0.0.1:9' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^avm402-console: listen EADDRINUSE: .*\n {2}.*choose another port with PORT\.\n$/);
});
