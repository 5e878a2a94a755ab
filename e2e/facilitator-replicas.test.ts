import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack';
import { startProgram, type Program } from '@avm402/stack/program';
import { readDebits } from './chaos/debits.ts';
import { startPostgres } from './chaos/postgres.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { ourBuyer } from './server-faults/buyers.ts';
import { type Evidence, findViolations, type HandlerRun } from './server-faults/evidence.ts';
import { createWitness, type Witness } from './server-faults/witness.ts';

const programs = {
  node: fileURLToPath(new URL('../packages/devnode/bin/avm402-devnode.js', import.meta.url)),
  facilitator: fileURLToPath(new URL('../packages/facilitator/bin/avm402-facilitator.js', import.meta.url)),
  shop: fileURLToPath(new URL('server-faults/shop.ts', import.meta.url)),
};
const { facilitator: sponsor, merchant } = developmentAccounts();
const PATIENCE = { timeout: 30_000, interval: 100 };

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function start(name: string, command: string[], environment: Record<string, string>): Promise<Program> {
  const program = await startProgram({ name, command, environment });
  ending.push(() => program.stop());
  return program;
}

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-replicas-'));
  ending.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function startNode(...options: string[]): Promise<Program> {
  return start('avm402-devnode', [programs.node, '--port', '0', '--network', 'testnet', ...options], {});
}

/** A facilitator of this node, on the store that the environment names. */
function startFacilitator(node: Program, store: Record<string, string>): Promise<Program> {
  return start('avm402-facilitator', [programs.facilitator], {
    ALGOD_URL: node.url,
    ALGOD_TOKEN: NODE_TOKEN,
    AVM_PRIVATE_KEY: sponsor.privateKey,
    SPONSOR_PAY_TO: merchant.address,
    PORT: '0',
    ...store,
  });
}

interface Shop {
  readonly url: string;
  readonly runs: () => Promise<HandlerRun[]>;
}

/** A shop that knows these facilitators. */
async function openShop(...facilitators: readonly { readonly url: string }[]): Promise<Shop> {
  const folder = await openFolder();
  const runsFile = join(folder, 'runs');
  const shop = await start('shop', ['--conditions=@avm402/source', programs.shop], {
    FACILITATOR_URL: facilitators.map(({ url }) => url).join(','),
    PAY_TO: merchant.address,
    STORE: join(folder, 'redemptions.sqlite'),
    RUNS: runsFile,
  });
  const runs = async (): Promise<HandlerRun[]> => {
    const lines = (await readFile(runsFile, 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as HandlerRun);
  };
  return { url: shop.url, runs };
}

/** A database for replicas. */
async function openStore(): Promise<Record<string, string>> {
  const postgres = await startPostgres();
  ending.push(() => postgres.stop());
  return { DATABASE_URL: postgres.url };
}

/** A line to a replica that can be started again elsewhere; it counts what is asked over it. */
async function lineTo(replica: Program) {
  let target = replica.url;
  let asked = 0;
  const proxy = await startFaultProxy({
    targets: () => [target],
    fault: () => {
      asked++;
      return undefined;
    },
  });
  ending.push(() => proxy.stop());
  return { url: proxy.url, asked: () => asked, leadTo: ({ url }: Program) => void (target = url) };
}

function buyer(node: Program, witness: Witness): typeof fetch {
  return ourBuyer({ name: 'payer', nodeUrl: node.url, fetch: witness.fetch });
}

/** What was paid, run and delivered, and whether it fits together. */
async function evidenceOf(node: Program, shop: Shop, witness: Witness): Promise<Evidence> {
  await witness.settled();
  const debits = await readDebits(createAlgodClient({ url: node.url, token: NODE_TOKEN }));
  const { proofs, deliveries } = witness;
  return { proofs, deliveries, debits, runs: await shop.runs(), price: 1_000n, payTo: merchant.address };
}

async function stateOf(txId: string | undefined, { url }: Program): Promise<unknown> {
  const response = await fetch(`${url}/settlements/${txId ?? ''}`);
  return Object(await response.json())['state'];
}

describe('one shop with two replicas of its facilitator', () => {
  it('goes on selling when one is killed, leaves that one alone, and uses it again when it is back', async () => {
    const [node, store] = [await startNode(), await openStore()];
    const [first, second] = [await startFacilitator(node, store), await startFacilitator(node, store)];
    const line = await lineTo(first);
    const shop = await openShop(line, second);
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

    line.leadTo(await startFacilitator(node, store));
    await second.kill();
    await expect.poll(next, PATIENCE).toBe(200);

    const evidence = await evidenceOf(node, shop, witness);
    expect(findViolations(evidence)).toEqual([]);
    expect(evidence.debits).toHaveLength(evidence.deliveries.length);
  });

  it('gets the answer of a settlement from the one, when the other was killed in the midst of it', async () => {
    const [node, store] = [await startNode('--manual'), await openStore()];
    const [first, second] = [await startFacilitator(node, store), await startFacilitator(node, store)];
    const shop = await openShop(first, second);
    const witness = createWitness();
    const bought = buyer(node, witness)(`${shop.url}/goods/0`);
    await expect.poll(() => stateOf(witness.proofs[0]?.txId, first), PATIENCE).toBe('submitted');

    await first.kill();
    const mined = await fetch(`${node.url}/dev/mine`, { method: 'POST', headers: { 'X-Algo-API-Token': NODE_TOKEN } });
    expect(mined.status).toBe(200);

    expect((await bought).status).toBe(200);
    const evidence = await evidenceOf(node, shop, witness);
    expect(findViolations(evidence)).toEqual([]);
    expect([evidence.proofs.length, evidence.debits.length, evidence.runs.length]).toEqual([1, 1, 1]);
    expect(await stateOf(witness.proofs[0]?.txId, second)).toBe('confirmed');
  });
});

describe('one shop with two facilitators', () => {
  it('that have a store each does not start, and says whose stores differ', async () => {
    const [node, folder] = [await startNode(), await openFolder()];
    const facilitators = [
      await startFacilitator(node, { SETTLEMENT_STORE: join(folder, 'one.sqlite') }),
      await startFacilitator(node, { SETTLEMENT_STORE: join(folder, 'other.sqlite') }),
    ];
    const failure = openShop(...facilitators);
    await expect(failure).rejects.toThrow(/facilitator_mismatch/);
    for (const { url } of facilitators) await expect(failure).rejects.toThrow(url);
  });

  it('that do not say which store they have does not start either', async () => {
    const [node, folder] = [await startNode(), await openFolder()];
    const named = await startFacilitator(node, { SETTLEMENT_STORE: join(folder, 'store.sqlite') });
    const nameless = [await startNameless(named), await startNameless(named)];
    const failure = openShop(...nameless);
    await expect(failure).rejects.toThrow(/facilitator_mismatch/);
    for (const { url } of nameless) await expect(failure).rejects.toThrow(`${url}: none`);
  });
});

/** Says what the facilitator supports, without the id of its store, as facilitators of others do. */
async function startNameless({ url }: Program): Promise<{ readonly url: string }> {
  const supported = await (await fetch(`${url}/supported`)).text();
  const body = JSON.stringify(
    JSON.parse(supported, (name, value: unknown) => (name === 'storeId' ? undefined : value)),
  );
  const server = createServer((_request, response) => void response.end(body)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ending.push(async () => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}
