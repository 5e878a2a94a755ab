import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDevnode, type Devnode } from '@avm402/devnode';

const TOKEN = 'a'.repeat(64);

/** Everything under /dev, and the route by which algod's dev mode changes the time between blocks. */
function controlsOf({ accounts }: Devnode): string[] {
  const { address } = accounts.payer;
  return [
    '/dev/mine?rounds=10000',
    `/dev/fund/${address}?amount=1000000`,
    `/dev/deal/${address}?asset-id=10458941&amount=1`,
    '/v2/devmode/blocks/offset/100000',
  ];
}

/** Sends a POST with the node's well-known token, as a page in a browser would, and gives its status. */
async function post(node: Devnode, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { hostname, port } = new URL(node.url);
  const sent = request({ hostname, port, path, method: 'POST', headers: { 'X-Algo-API-Token': TOKEN, ...headers } });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

/** What driving the node would change. */
function stateOf(node: Devnode): unknown {
  const { microAlgos, assets } = node.balance(node.accounts.payer.address);
  return [node.latestRound, microAlgos, assets];
}

describe('a web page on the machine that the node runs on', () => {
  let node: Devnode;
  beforeEach(async () => void (node = await startDevnode({ port: 0 })));
  afterEach(() => node.stop());

  it.each([
    ['of another site', 'https://evil.example'],
    ['of another port of this machine', 'http://127.0.0.1:3000'],
    ['that hides where it comes from', 'null'],
  ])('%s cannot drive the node', async (_which, origin) => {
    const before = stateOf(node);
    const statuses: number[] = [];
    for (const path of controlsOf(node)) statuses.push(await post(node, path, { Origin: origin }));
    expect(statuses).toEqual([403, 403, 403, 403]);
    expect(stateOf(node)).toEqual(before);
  });

  it.each(['evil.example', 'evil.example:4001', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'whose name %j was rebound to this machine cannot drive the node',
    async (host) => {
      const before = stateOf(node);
      const developerControls = controlsOf(node).filter((path) => path.startsWith('/dev/'));
      const statuses: number[] = [];
      for (const path of developerControls) statuses.push(await post(node, path, { Host: host }));
      expect(statuses).toEqual([403, 403, 403]);
      // Browsers send the page's origin with every POST, to the page's own host as well.
      for (const path of controlsOf(node)) {
        expect(await post(node, path, { Host: host, Origin: `http://${host}` })).toBe(403);
      }
      expect(stateOf(node)).toEqual(before);
    },
  );

  it.each(['127.0.0.1:4001', 'localhost', 'LOCALHOST:4001', '[::1]:4001', 'node.localhost:4001', '0.0.0.0:4001'])(
    'is no program, and a program that calls the node %s drives it',
    async (host) => {
      expect(await post(node, '/dev/mine', { Host: host })).toBe(200);
      expect(await post(node, '/v2/devmode/blocks/offset/1', { Host: host })).toBe(200);
      expect(node.latestRound).toBe(1n);
    },
  );
});
