import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresSettlementStore, type SettlementStore } from '../../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

const us = { owner: 'us', leaseMs: 60_000 };
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(() => server.stop());

/** A store in use: something is settled, and something is under way. */
async function storeInUse(): Promise<{ readonly url: string; readonly store: SettlementStore }> {
  const url = await server.createDatabase();
  const store = createPostgresSettlementStore({ url });
  await store.open();
  for (const txId of ['SETTLED', 'UNDER WAY']) {
    await store.record(settlement(txId), us);
    await store.change(txId, us.owner, { to: 'submitted' });
  }
  await store.change('SETTLED', us.owner, { to: 'confirmed', confirmedRound: 150n });
  return { url, store };
}

/** The restored store knows what the other one knew, and its owner takes up what was under way. */
async function expectRestored(url: string, original: SettlementStore): Promise<void> {
  const store = createPostgresSettlementStore({ url });
  await store.open();
  expect(await store.id()).toBe(await original.id());
  const { network } = settlement('UNDER WAY');
  expect(await store.list({ limit: 10 })).toEqual(await original.list({ limit: 10 }));
  const taken = await store.takeOver({ ...us, networks: [network], withOwn: true });
  expect(taken.map(({ txId }) => txId)).toEqual(['UNDER WAY']);
  expect(taken[0]?.group).toEqual(settlement('UNDER WAY').group);
  await store.close();
}

it('a copy of the server, taken while its replicas write, is a store that goes on where it was copied', async () => {
  const { url, store } = await storeInUse();
  const copy = await server.copy();
  await expectRestored(copy.urlOf(url), store);
  await copy.stop();
  await store.close();
});
