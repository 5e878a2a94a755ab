import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../src/postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
// A second time does nothing.
afterAll(() => server.stop());

async function connected(connectionString: string | undefined): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

it('is copied while it works: what was committed before is there, and nothing of what came after', async () => {
  const original = await server.createDatabase();
  const client = await connected(original);
  await client.query('CREATE TABLE first AS SELECT generate_series(1, 10000) AS a');
  const copy = await server.copy();
  await client.query('INSERT INTO first VALUES (10001)');
  await client.end();
  const copied = await connected(copy.urlOf(original));
  expect((await copied.query('SELECT count(*)::int AS rows FROM first')).rows).toEqual([{ rows: 10_000 }]);
  await copied.end();
  await copy.stop();
});

it('gives an empty database each time it is asked, also one that was used before, until it is stopped', async () => {
  const fill = async (url: string): Promise<void> => {
    const client = await connected(url);
    await client.query('CREATE TABLE first (a int)');
    await client.end();
  };
  const urls = [await server.createDatabase(), await server.createDatabase()];
  await Promise.all(urls.map(fill));
  // Somebody forgot to leave.
  const left = await connected(urls[1]);
  left.on('error', () => undefined);
  server.takeBack();
  const again = [await server.createDatabase(), await server.createDatabase(), await server.createDatabase()];
  expect(new Set(again).size).toBe(3);
  expect(again).toEqual(expect.arrayContaining(urls));
  await Promise.all(again.map(fill));
  await server.stop();
  await expect(connected(urls[0])).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
