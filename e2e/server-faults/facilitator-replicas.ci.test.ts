import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { NODE_TOKEN } from '@avm402/stack/programs';
import type { Program } from '@avm402/stack/program';
import { startPostgres } from '@avm402/testkit/postgres';
import { readDebits } from '../debits.ts';
import { type Served, served } from '../served.ts';
import { startFaultProxy } from '@avm402/testkit/fault-proxy';
import { ourBuyer } from './buyers.ts';
import { type Evidence, findViolations } from './evidence.ts';
import { openPrograms, type Programs } from './programs.ts';
import { createWitness, type Witness } from './witness.ts';

const SLOWLY = { timeout: 30_000, interval: 100 };

let programs: Programs;
beforeEach(async () => {
  programs = await openPrograms();
});
afterEach(() => programs.stop());

/** A database for replicas. */
async function openStore(): Promise<Record<string, string>> {
  const url = await programs.keep(await startPostgres()).createDatabase();
  return { DATABASE_URL: url };
}

/** A line to a replica that can be started again elsewhere; it counts what is asked over it. */
async function lineTo(replica: Program) {
  let target = replica.url;
  let asked = 0;
  const fault = (): undefined => void asked++;
  const { url } = programs.keep(await startFaultProxy({ targets: () => [target], fault }));
  return { url, asked: () => asked, leadTo: (other: Program) => void (target = other.url) };
}

function buyer(node: Program, witness: Witness): typeof fetch {
  return ourBuyer({ name: 'payer', nodeUrl: node.url, fetch: witness.fetch });
}

/** The payments, runs and deliveries, and whether they fit together. */
async function evidenceOf(node: Program, witness: Witness): Promise<Evidence> {
  await witness.settled();
  const debits = await readDebits(createAlgodClient({ url: node.url, token: NODE_TOKEN }));
  const { proofs, deliveries } = witness;
  return { proofs, deliveries, debits, runs: await programs.runs(), price: 1_000n, payTo: programs.payTo };
}

async function stateOf(txId: string | undefined, { url }: Program): Promise<unknown> {
  const response = await fetch(`${url}/settlements/${txId ?? ''}`);
  return Object(await response.json())['state'];
}

describe('one shop with two replicas of its facilitator', () => {
  it('goes on selling when one is killed, leaves that one alone, and uses it again when it is back', async () => {
    const [node, store] = [await programs.node(), await openStore()];
    const [first, second] = [await programs.facilitator(node, store), await programs.facilitator(node, store)];
    const line = await lineTo(first);
    const shop = await programs.shop({ facilitators: [line, second] });
    const witness = createWitness();
    const buy = buyer(node, witness);
    let order = 0;
    const next = async (): Promise<number> => (await buy(`${shop.url}/goods/${order++}`)).status;

    expect([await next(), await next()]).toEqual([200, 200]);
    expect(first.output()).toContain(witness.proofs[1]?.txId);

    await first.kill();
    const askedBefore = line.asked();
    for (let count = 0; count < 20; count++) expect(await next()).toBe(200);
    // Without a circuit breaker it is asked to verify and to settle each of them.
    expect(line.asked() - askedBefore).toBeLessThan(20);

    line.leadTo(await programs.facilitator(node, store));
    await second.kill();
    await expect.poll(next, SLOWLY).toBe(200);

    const evidence = await evidenceOf(node, witness);
    expect(findViolations(evidence)).toEqual([]);
    expect(evidence.debits).toHaveLength(evidence.deliveries.length);
  });

  it('gets the answer of a settlement from the one, when the other was killed in the midst of it', async () => {
    const [node, store] = [await programs.node('--manual'), await openStore()];
    const [first, second] = [await programs.facilitator(node, store), await programs.facilitator(node, store)];
    const shop = await programs.shop({ facilitators: [first, second] });
    const witness = createWitness();
    const bought = buyer(node, witness)(`${shop.url}/goods/0`);
    await expect.poll(() => stateOf(witness.proofs[0]?.txId, first), SLOWLY).toBe('submitted');

    await first.kill();
    const mined = await fetch(`${node.url}/dev/mine`, { method: 'POST', headers: { 'X-Algo-API-Token': NODE_TOKEN } });
    expect(mined.status).toBe(200);

    expect((await bought).status).toBe(200);
    const evidence = await evidenceOf(node, witness);
    expect(findViolations(evidence)).toEqual([]);
    expect([evidence.proofs.length, evidence.debits.length, evidence.runs.length]).toEqual([1, 1, 1]);
    expect(await stateOf(witness.proofs[0]?.txId, second)).toBe('confirmed');
  });
});

describe('one shop with two facilitators', () => {
  it('that have a store each does not start, and says whose stores differ', async () => {
    const node = await programs.node();
    const facilitators = [
      await programs.facilitator(node, { SETTLEMENT_STORE: join(programs.folder, 'one.sqlite') }),
      await programs.facilitator(node, { SETTLEMENT_STORE: join(programs.folder, 'other.sqlite') }),
    ];
    const failure = programs.shop({ facilitators });
    await expect(failure).rejects.toThrow(/facilitator_mismatch/);
    for (const { url } of facilitators) await expect(failure).rejects.toThrow(url);
  });

  it('that do not say which store they have does not start either', async () => {
    const node = await programs.node();
    const named = await programs.facilitator(node, { SETTLEMENT_STORE: join(programs.folder, 'store.sqlite') });
    const nameless = [await startNameless(named), await startNameless(named)];
    const failure = programs.shop({ facilitators: nameless });
    await expect(failure).rejects.toThrow(/facilitator_mismatch/);
    for (const { url } of nameless) await expect(failure).rejects.toThrow(`${url}: none`);
  });
});

/** Says what the facilitator supports, without the id of its store, as facilitators of others do. */
async function startNameless({ url }: Program): Promise<Served> {
  const body = await (await fetch(`${url}/supported`)).text();
  return programs.keep(await served((_request, response) => void response.end(body)));
}
