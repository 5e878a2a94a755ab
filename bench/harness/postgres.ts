import { fileURLToPath } from 'node:url';
import { startProgram } from '@avm402/stack/program';
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
  const peer = fileURLToPath(new URL('../peers/postgres.ts', import.meta.url));
  const program = await startProgram({ name: 'postgres', command: [peer], environment: {} });
  const client = new Client({ connectionString: program.url });
  // A connection that breaks shows in the next query; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  await client.query('CREATE EXTENSION pg_stat_statements');
  return {
    url: program.url,
    async statements() {
      const { rows } = await client.query<{ calls: string }>(
        "SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'",
      );
      return Number(rows[0]?.calls);
    },
    async stop() {
      await client.end();
      await program.stop();
    },
  };
}
