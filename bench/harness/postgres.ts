import { startPostgres as startServer } from '@avm402/testkit/postgres';
import { Client } from 'pg';

export interface Postgres {
  /** URL of an empty database. */
  readonly url: string;
  /** Statements that clients have sent so far; each is one round trip. */
  statements(): Promise<number>;
  stop(): Promise<void>;
}

/** A real PostgreSQL with its default settings, disk flushes included. */
export async function startPostgres(): Promise<Postgres> {
  const server = await startServer(['-c', 'shared_preload_libraries=pg_stat_statements']);
  const url = await server.createDatabase();
  const client = new Client({ connectionString: url });
  // A connection that breaks shows in the next query; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  await client.query('CREATE EXTENSION pg_stat_statements');
  return {
    url,
    async statements() {
      const { rows } = await client.query<{ calls: string }>(
        "SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'",
      );
      return Number(rows[0]?.calls);
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}
