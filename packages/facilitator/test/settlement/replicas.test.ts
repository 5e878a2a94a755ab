import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { createPostgresSettlementStore, type SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';
import { MortalReplica } from '../mortal-replica.ts';

const h = new Harness({ instant: false });
let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(async () => {
  await server.stop();
});

beforeEach(async () => {
  url = await server.createDatabase();
});

const newStore = (): SettlementStore => createPostgresSettlementStore({ url });
const newReplica = () => h.create({ store: newStore() });

describe('replicas on one PostgreSQL', () => {
  it('give one caller one success, whichever of them it asks', async () => {
    const replicas = [newReplica(), newReplica(), newReplica()];
    await Promise.all(replicas.map((replica) => replica.start()));
    const payment = modelPayment(h.chain);
    const answers = Promise.all(replicas.flatMap((replica) => [1, 2, 3].map(() => settle(replica, payment, KEY))));
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    expect((await answers).every(({ success }) => success)).toBe(true);
    expect(h.calls('sendRawTransaction')).toBe(1);
    for (const replica of replicas) {
      expect(await settle(replica, payment, OTHER_KEY)).toMatchObject({ errorReason: 'duplicate_settlement' });
    }
  });

  it('hand out a success without a key once among them', async () => {
    const replicas = [newReplica(), newReplica(), newReplica()];
    await Promise.all(replicas.map((replica) => replica.start()));
    const payment = modelPayment(h.chain);
    const answers = Promise.all(replicas.flatMap((replica) => [1, 2, 3].map(() => settle(replica, payment))));
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    expect((await answers).filter(({ success }) => success)).toHaveLength(1);
  });

  it('take over what a dead one left behind', async () => {
    const dead = new MortalReplica({ node: h.node, store: newStore(), settleTimeoutMs: 100, leaseMs: 300 });
    const living = h.create({ store: newStore(), leaseMs: 300 });
    await living.start();
    const payment = modelPayment(h.chain);
    await dead.facilitator.start();
    // Its row is written, and it dies before it says that it submits.
    dead.dieAfter({ step: 1, of: 'change', effect: 'before' });
    void settle(dead.facilitator, payment, KEY);
    await dead.died;
    expect(h.chain.pool.size).toBe(0);
    await eventually(() => h.chain.pool.size === 1);
    h.chain.mine();
    expect(await settle(living, payment, KEY)).toMatchObject({ success: true, transaction: payment.txId });
  });

  it('write a row with the highest round that any of them has seen', async () => {
    const [first, second] = [newReplica(), newReplica()];
    await Promise.all([first.start(), second.start()]);
    h.chain.mine(5);
    await eventually(async () => (await first.readiness()).networks[0]?.round === 15);
    // What it has seen is in the store by then.
    await first.close();
    const payment = modelPayment(h.chain, { changes: { firstValid: 10n } });
    h.node.lag = 3n;
    const answer = settle(second, payment, KEY);
    const look = newStore();
    await eventually(() => h.chain.pool.size === 1);
    expect(await look.find(payment.txId)).toMatchObject({ round: 15n });
    h.node.lag = 0n;
    h.chain.mine();
    expect(await answer).toMatchObject({ success: true });
    await look.close();
  });
});
