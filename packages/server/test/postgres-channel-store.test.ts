import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import {
  type PostgresChannelStore,
  createPostgresChannelStore,
  createPostgresRedemptionStore,
} from '../src/postgres.ts';
import { describeChannelStore } from './channel-store-contract.ts';
import { channel, charging } from './support/channels.ts';

let server: PostgresServer;
let opened: PostgresChannelStore[] = [];

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
  server.takeBack();
});
afterAll(async () => {
  await server.stop();
});

function open(url: string): PostgresChannelStore {
  const store = createPostgresChannelStore({ url });
  opened.push(store);
  return store;
}

describeChannelStore('in PostgreSQL', async () => open(await server.createDatabase()));

describe('the channel store in PostgreSQL', () => {
  it('is shared by servers that charge the same channels in any order: none fails, and no charge is lost', async () => {
    const url = await server.createDatabase();
    const servers = Array.from({ length: 4 }, () => open(url));
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
    const charged = await Promise.all(channels.map(({ channelId }) => servers[0]?.get(channelId)));
    const total = charged.reduce((sum, found) => sum + Number(found?.charged), 0);
    expect(total).toBe(stored.reduce((sum, charges) => sum + charges, 0));
    expect(total).toBeGreaterThan(20 * 20);
  }, 30_000);

  it('lies in one database with the redemptions', async () => {
    const url = await server.createDatabase();
    const redemptions = createPostgresRedemptionStore({ url });
    await Promise.all([redemptions.open(), open(url).open()]);
    expect(await redemptions.get('TX')).toBeUndefined();
    await redemptions.close();
  });

  it('says so when the database is not there', async () => {
    const store = open('postgres://nobody@127.0.0.1:1/nothing');
    await expect(store.write([{ next: channel(1) }])).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
