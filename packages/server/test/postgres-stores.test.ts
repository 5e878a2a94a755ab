import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { gateTo } from '@avm402/testkit/postgres-gate';
import { Client } from 'pg';
import {
  type PostgresChannelStore,
  type PostgresRedemptionStore,
  createPostgresChannelStore,
  createPostgresRedemptionStore,
  type PostgresRedemptionStoreOptions,
} from '../src/postgres.ts';
import { describeChannelStore } from './channel-store-contract.ts';
import { describeRedemptionStore, NOW, row } from './redemption-store-contract.ts';
import { describeRiskStore } from './risk-store-contract.ts';
import { channel, charging, request } from './support/channels.ts';

/** Key of the advisory lock of those who put something at risk. */
const RISK_LOCK = 0x4156_4d36;
/** Key of the advisory lock under which tables are made. */
const MIGRATION_LOCK = 0x4156_4d35;
/** A database whose transactions see only what was there before them, unless they say something else. */
const REPEATABLE_READ = encodeURIComponent(String.raw`-c default_transaction_isolation=repeatable\ read`);

let server: PostgresServer;
const opened: (PostgresRedemptionStore | PostgresChannelStore)[] = [];

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterEach(async () => {
  await closeOpened();
  server.takeBack();
});
afterAll(async () => {
  await server.stop();
});

async function closeOpened(): Promise<void> {
  for (const store of opened.splice(0)) await store.close();
}

function open(options: PostgresRedemptionStoreOptions): PostgresRedemptionStore {
  const store = createPostgresRedemptionStore({ now: () => NOW, ...options });
  opened.push(store);
  return store;
}

function openChannels(url: string): PostgresChannelStore {
  const store = createPostgresChannelStore({ url });
  opened.push(store);
  return store;
}

describeRedemptionStore('in PostgreSQL', async (limits) => open({ url: await server.createDatabase(), ...limits }));
describeRiskStore('in PostgreSQL', async (handles) => {
  // A property opens stores for each of its inputs: all of them would have more connections than a server takes.
  await closeOpened();
  const url = await server.createDatabase();
  return Array.from({ length: handles }, () => open({ url }).risks ?? expect.fail('it keeps no risks'));
});

/** Holds each insertion where it has looked for a row and found none, before any index knows of its own. */
async function holdInserts(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(1)`);
  await client.query(`
    CREATE FUNCTION held(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN $1; END $$;
    ALTER TABLE avm402_redemptions DROP CONSTRAINT avm402_redemptions_pkey;
    ALTER TABLE avm402_redemptions DROP CONSTRAINT avm402_redemptions_payment_id_key;
    CREATE INDEX held_first ON avm402_redemptions (held(tx_id));
    ALTER TABLE avm402_redemptions ADD PRIMARY KEY (tx_id);
    ALTER TABLE avm402_redemptions ADD UNIQUE (payment_id);`);
  return {
    async waiting(): Promise<number> {
      const { rows } = await client.query(
        `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      );
      return rows[0].count;
    },
    release: () => client.query(`SELECT pg_advisory_unlock(1)`),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** A transaction of another server. */
async function begunElsewhere(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

it('a store in PostgreSQL is closed by whoever stops first, and by the next one without harm', async () => {
  const url = await server.createDatabase();
  for (const store of [open({ url }), openChannels(url)]) {
    await store.open();
    const [first, second] = [store.close(), store.close()];
    await expect(Promise.all([first, second, store.close()])).resolves.toEqual([undefined, undefined, undefined]);
  }
});

describe('the redemption store in PostgreSQL', () => {
  it('may be opened by several servers at once, of which one makes the tables, and one of which stores a payment', async () => {
    const url = await server.createDatabase();
    const stores = Array.from({ length: 4 }, () => open({ url }));
    const outcomes = await Promise.all(
      stores.flatMap((store, index) =>
        [1, 2, 3].map((version) => store.put(row({ owner: `server ${index}`, version, paymentId: 'p1' }))),
      ),
    );
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 11 }, () => 'outdated'), 'stored']);
  });

  it('calls a second writer of a payment outdated, though both saw no row and brought the same payment id', async () => {
    const url = await server.createDatabase();
    const store = open({ url });
    await store.open();
    await using client = await holdInserts(url);
    const asked = Promise.all([1, 2].map((owner) => store.put(row({ owner: `server ${owner}`, paymentId: 'p1' }))));
    await expect.poll(() => client.waiting()).toBe(2);
    await client.release();
    expect((await asked).toSorted()).toEqual(['outdated', 'stored']);
    expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('payment_id_taken');
  });

  it('bounds what servers bring of one payer at the same time, and none of them fails', async () => {
    const url = await server.createDatabase();
    const stores = Array.from({ length: 4 }, () => open({ url, maxResponseBytesPerPayer: 50 }));
    const response = { status: 200, headers: [], body: new Uint8Array(20), keptUntil: NOW + 1 };
    const puts = Array.from({ length: 400 }, async (_, number) =>
      stores[number % 4]?.put(
        row({ txId: `TX${number}`, updatedAt: NOW + number, ...(number % 2 ? { state: 'released' } : { response }) }),
      ),
    );
    expect(new Set(await Promise.all(puts))).toEqual(new Set(['stored']));
    await stores[0]?.put(row({ txId: 'LAST', state: 'released', updatedAt: NOW + 400, response }));
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`SELECT count(*) FILTER (WHERE state = 'released')::int AS refused,
      sum(octet_length(body))::int AS bytes FROM avm402_redemptions`);
    await client.end();
    expect(rows).toEqual([{ refused: 100, bytes: 40 }]);
  });

  it('puts no more at risk than may be, where the database reads what was there as a transaction began', async () => {
    const url = await server.createDatabase();
    await using other = await begunElsewhere(url);
    const stores = [1, 2].map(() => open({ url: `${url}?options=${REPEATABLE_READ}` }));
    await Promise.all(stores.map((store) => store.open()));
    await other.query('SELECT pg_advisory_xact_lock($1)', [RISK_LOCK]);
    const bounds = { perPayment: 10n, perPayer: 10n, total: 10n, lossPerHour: 10n };
    const risk = { payer: 'PAYER', network: 'algorand:n' as const, amount: 10n, since: NOW };
    const taking = stores.map(async ({ risks }, index) => risks?.take({ ...risk, txId: `T${index}` }, bounds));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
    await expect.poll(async () => (await other.query(waiting)).rows).toHaveLength(2);
    await other.query('COMMIT');
    expect(new Set(await Promise.all(taking))).toEqual(new Set([true, false]));
  });

  it('calls the slower of two writers outdated, where the database reads what was there as a transaction began', async () => {
    const url = await server.createDatabase();
    const store = open({ url: `${url}?options=${REPEATABLE_READ}` });
    await store.put(row());
    await using other = await begunElsewhere(url);
    await other.query('UPDATE avm402_redemptions SET version = 2');
    const slower = store.put(row({ version: 2 }), row());
    await expect.poll(async () => (await other.query('SELECT FROM pg_locks WHERE NOT granted')).rows).toHaveLength(1);
    await other.query('COMMIT');
    expect(await slower).toBe('outdated');
  });

  it('waits for another server that makes the tables, longer than for any other answer', async () => {
    const url = await server.createDatabase();
    await using other = await begunElsewhere(url);
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const opening = open({ url: `${url}?query_timeout=200&statement_timeout=200` }).open();
    await other.query('SELECT pg_sleep(0.4)');
    await other.query('COMMIT');
    await opening;
  });

  it('answers while another server makes the tables for long: it is not there yet', async () => {
    const url = await server.createDatabase();
    await using other = await begunElsewhere(url);
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const store = open({ url });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = store.get('TX1');
    asked.catch(() => undefined);
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database =
      (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await expect.poll(async () => (await other.query(waiting)).rows).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' });
    await other.query('COMMIT');
    await store.open();
    expect(await store.get('TX1')).toBeUndefined();
  });

  it('drops nothing that another server is changing, and does not wait for it', async () => {
    const url = await server.createDatabase();
    const store = open({ url, maxResponseBytesPerPayer: 10 });
    const response = { status: 200, headers: [], body: new Uint8Array(20), keptUntil: NOW + 1 };
    await store.put(row({ response }));
    await using other = await begunElsewhere(url);
    await other.query('SELECT * FROM avm402_redemptions FOR UPDATE');
    expect(await store.put(row({ txId: 'TX2', updatedAt: NOW + 1, response }))).toBe('stored');
    expect((await store.get('TX1'))?.response).toBeDefined();
  });

  it('drops responses after their time and finished rows after a day, but none whose settlement is open', async () => {
    let now = NOW;
    const store = open({ url: await server.createDatabase(), now: () => now });
    const response = { status: 200, headers: [], body: Buffer.from('x'), keptUntil: NOW + 1000 };
    await store.put(row({ txId: 'SETTLED', state: 'settled', response }));
    await store.put(row({ txId: 'OPEN', state: 'sending' }));
    now += 2 * 60_000;
    await store.put(row({ txId: 'TX2', updatedAt: now }));
    await expect.poll(async () => (await store.get('SETTLED'))?.response).toBeUndefined();
    expect((await store.get('SETTLED'))?.state).toBe('settled');
    now += 25 * 60 * 60_000;
    await store.put(row({ txId: 'TX3', updatedAt: now }));
    await expect.poll(() => store.get('SETTLED')).toBeUndefined();
    expect(await store.get('OPEN')).toBeDefined();
  });

  it('forgets the oldest finished rows when there are too many, never one under way', async () => {
    let now = NOW;
    const store = open({ url: await server.createDatabase(), now: () => now, maxRows: 2 });
    await store.put(row({ txId: 'UNDER-WAY' }));
    await store.put(row({ txId: 'OLD', state: 'settled', updatedAt: NOW + 1 }));
    await store.put(row({ txId: 'NEWER', state: 'settled', updatedAt: NOW + 2 }));
    now += 61_000;
    await store.put(row({ txId: 'NEW', updatedAt: now }));
    await expect.poll(() => store.get('NEWER')).toBeUndefined();
    const found = await Promise.all(['UNDER-WAY', 'OLD', 'NEW'].map((txId) => store.get(txId)));
    expect(found.map((known) => known?.txId)).toEqual(['UNDER-WAY', undefined, 'NEW']);
  });

  it('goes on after all its connections were broken', async () => {
    const url = await server.createDatabase();
    const store = open({ url });
    await Promise.all(Array.from({ length: 5 }, (_, number) => store.put(row({ txId: `TX${number}` }))));
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await client.end();
    await expect.poll(() => store.get('TX4').catch(() => 'not yet')).toMatchObject({ txId: 'TX4' });
  });

  it('goes on after its connection broke in the middle of a transaction', async () => {
    const url = await server.createDatabase();
    await using gate = await gateTo(url);
    const client = new Client({ connectionString: url });
    await client.connect();
    // Held while tables are made.
    await client.query('SELECT pg_advisory_lock($1)', [0x4156_4d35]);
    const store = open({ url: gate.url });
    const cut = expect(store.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
    await expect.poll(async () => (await client.query(waiting)).rows).toHaveLength(1);
    gate.breakConnections();
    await cut;
    await client.end();
    await store.put(row({ txId: 'TX1' }));
    expect(await store.get('TX1')).toMatchObject({ txId: 'TX1' });
  });

  it('says so when the database is not there', async () => {
    const store = open({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
    await expect(store.open()).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(store.get('TX1')).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describeChannelStore('in PostgreSQL', async () => openChannels(await server.createDatabase()));

describe('the channel store in PostgreSQL', () => {
  it('is shared by servers that charge the same channels in any order: none fails, and no charge is lost', async () => {
    const url = await server.createDatabase();
    const servers = Array.from({ length: 4 }, () => openChannels(url));
    const channels = Array.from({ length: 20 }, (_, number) => channel(number));
    await servers[0]?.write(channels.map((next) => ({ next })));
    const stored = await Promise.all(
      servers.map(async (store, index) => {
        let charges = 0;
        for (let round = 1; round <= 20; round++) {
          const known = await Promise.all(channels.map(({ channelId }) => store.get(channelId)));
          const changes = known.flatMap((found) => (found ? [charging(found, found.charged + 1n)] : []));
          const outcomes = await store.write(index % 2 === 0 ? changes : changes.toReversed());
          charges += outcomes.filter((outcome) => outcome === 'stored').length;
        }
        return charges;
      }),
    );
    const later = openChannels(url);
    const charged = await Promise.all(channels.map(({ channelId }) => later.get(channelId)));
    const total = charged.reduce((sum, found) => sum + Number(found?.charged), 0);
    expect(total).toBe(stored.reduce((sum, charges) => sum + charges, 0));
    expect(total).toBeGreaterThan(20 * 20);
  }, 30_000);

  it('forgets no response that another server is changing, and does not wait for it', async () => {
    const url = await server.createDatabase();
    const store = openChannels(url);
    const { channelId } = channel(1);
    const response = { status: 200, headers: [], body: new Uint8Array(20), keptUntil: NOW };
    await store.write([{ next: channel(1), requests: [1n, 2n].map((amount) => request(amount, { response })) }]);
    await using other = await begunElsewhere(url);
    await other.query("SELECT * FROM avm402_channel_requests WHERE amount LIKE '%1' FOR UPDATE");
    await store.prune(NOW);
    const found = await Promise.all([1n, 2n].map((amount) => store.request(channelId, amount)));
    expect(found.map((one) => one?.response !== undefined)).toEqual([true, false]);
  });

  it('lies in one database with the redemptions', async () => {
    const url = await server.createDatabase();
    const redemptions = open({ url });
    await Promise.all([redemptions.open(), openChannels(url).open()]);
    expect(await redemptions.get('TX')).toBeUndefined();
  });

  it('says so when the database is not there', async () => {
    const store = openChannels('postgres://nobody@127.0.0.1:1/nothing');
    await expect(store.write([{ next: channel(1) }])).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
