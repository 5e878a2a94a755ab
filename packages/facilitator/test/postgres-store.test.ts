import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { postgresSettlementStore } from '../src/index.ts';
import { describeCatalogue } from './catalogue-contract.ts';
import { describeChannelRows } from './channel-rows-contract.ts';
import { describeLedger } from './ledger-contract.ts';
import { describeSettlementStore, settlement } from './settlement-store-contract.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(async () => {
  await server.stop();
});

describeSettlementStore('PostgreSQL', async () => postgresSettlementStore({ url: await server.createDatabase() }));

describeLedger('PostgreSQL', async (now) => postgresSettlementStore({ url: await server.createDatabase(), now }));

describeChannelRows('PostgreSQL', async () => postgresSettlementStore({ url: await server.createDatabase() }));

describeCatalogue('PostgreSQL', async () => postgresSettlementStore({ url: await server.createDatabase() }));

describe('the PostgreSQL store', () => {
  it('may be opened by several replicas at once, of which one makes the tables', async () => {
    const url = await server.createDatabase();
    const replicas = Array.from({ length: 4 }, () => postgresSettlementStore({ url }));
    await Promise.all(replicas.map((replica) => replica.open()));
    const recorded = await Promise.all(
      replicas.map((replica, index) => replica.record(settlement('A'), { owner: `replica ${index}`, leaseMs: 60_000 })),
    );
    expect(recorded.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('records without waiting for others that hold the highest round, unless it raises it', async () => {
    const url = await server.createDatabase();
    const store = postgresSettlementStore({ url });
    await store.open();
    const { network, round } = settlement('A');
    await store.raiseRound(network, round);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT * FROM avm402_rounds FOR UPDATE');
    expect(await store.record(settlement('A'), { owner: 'us', leaseMs: 1000 })).toMatchObject({ outcome: 'recorded' });
    const raising = store.record({ ...settlement('B'), round: round + 1n }, { owner: 'us', leaseMs: 1000 });
    await other.query('COMMIT');
    expect(await raising).toMatchObject({ outcome: 'recorded', settlement: { round: round + 1n } });
    await store.record({ ...settlement('C'), round: 1n }, { owner: 'us', leaseMs: 1000 });
    expect(await store.find('C')).toMatchObject({ round: round + 1n });
    await other.end();
    await store.close();
  });

  it('refuses tables that a newer release has changed', async () => {
    const url = await server.createDatabase();
    const older = postgresSettlementStore({ url });
    await older.open();
    await older.close();
    const newer = new Client({ connectionString: url });
    await newer.connect();
    await newer.query(`INSERT INTO avm402_migrations (name, timestamp) VALUES ('9999-of-a-newer-release', 'now')`);
    await newer.end();
    const again = postgresSettlementStore({ url });
    await expect(again.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await again.close();
  });

  it('says what is wrong when the database is not there', async () => {
    const store = postgresSettlementStore({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
    await expect(store.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await store.close();
  });
});
