import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDevnode, type Devnode } from '@avm402/devnode';

const TOKEN = 'a'.repeat(64);

interface Route {
  readonly method: string;
  readonly path: string;
}

const OFFSET: Route = { method: 'POST', path: '/v2/devmode/blocks/offset/100000' };

/** Every route under /dev, with values that would do something. */
async function developerControls({ url, accounts }: Devnode): Promise<Route[]> {
  const { paths } = (await (await fetch(`${url}/swagger.json`)).json()) as { paths: Record<string, object> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/dev/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({
        method: method.toUpperCase(),
        path: `${filled(path, accounts.payer.address)}?rounds=10&amount=1000000&asset-id=10458941`,
      })),
    );
}

function filled(path: string, address: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'address' || name === 'by' ? address : '1'));
}

/** Sends a request as a page in a browser would, and gives its answer. */
async function ask(
  node: Devnode,
  { method, path }: Route,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(node.url);
  const sent = request({ hostname, port, path, method, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

/** The same with the node's well-known token; gives only the status. */
async function statusOf(node: Devnode, route: Route, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await ask(node, route, { 'X-Algo-API-Token': TOKEN, ...headers })).statusCode ?? 0;
}

/** The state that a page that drives the node would change. */
async function stateOf(node: Devnode): Promise<unknown> {
  const { microAlgos, assets } = node.balance(node.accounts.payer.address);
  return [node.latestRound, microAlgos, assets, await node.state()];
}

describe('a web page on the machine that the node runs on', () => {
  let node: Devnode;
  let controls: readonly Route[];
  beforeEach(async () => {
    node = await startDevnode({ port: 0 });
    controls = await developerControls(node);
  });
  afterEach(() => node.stop());

  it('has all developer controls to try', () => {
    expect(controls.length).toBeGreaterThan(15);
    expect(controls).toContainEqual(expect.objectContaining({ method: 'GET' }));
  });

  it.each([
    ['of another site', 'https://evil.example'],
    ['of another port of this machine', 'http://127.0.0.1:3000'],
    ['that hides where it comes from', 'null'],
  ])('%s can neither read nor drive the node', async (_which, origin) => {
    const before = await stateOf(node);
    for (const route of [...controls, OFFSET]) {
      expect(await statusOf(node, route, { Origin: origin }), route.path).toBe(403);
    }
    for (const route of controls) {
      const answer = await ask(node, route, { Origin: origin, 'X-Algo-API-Token': TOKEN });
      expect(answer.headers['access-control-allow-origin'], route.path).toBeUndefined();
    }
    expect(await stateOf(node)).toEqual(before);
  });

  it('is not even allowed to ask: the preflight of a control grants nothing', async () => {
    for (const { method, path } of controls) {
      const answer = await ask(
        node,
        { method: 'OPTIONS', path },
        {
          Origin: 'https://evil.example',
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'x-algo-api-token',
        },
      );
      const granted = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      expect([answer.statusCode, granted], path).toEqual([403, []]);
    }
  });

  it('that sends what browsers send without asking, no header of its own and no Origin, is refused with --no-auth too', async () => {
    await node.stop();
    node = await startDevnode({ port: 0, auth: false });
    const before = await stateOf(node);
    for (const route of controls) expect((await ask(node, route, {})).statusCode, route.path).toBe(401);
    expect(await stateOf(node)).toEqual(before);
  });

  it.each(['evil.example', 'evil.example:4001', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'whose name %j was rebound to this machine can neither read nor drive the node',
    async (host) => {
      const before = await stateOf(node);
      for (const route of controls) expect(await statusOf(node, route, { Host: host }), route.path).toBe(403);
      // Browsers send the page's origin with every POST, to the page's own host as well.
      for (const route of [...controls, OFFSET]) {
        expect(await statusOf(node, route, { Host: host, Origin: `http://${host}` }), route.path).toBe(403);
      }
      expect(await stateOf(node)).toEqual(before);
    },
  );

  it.each(['127.0.0.1:4001', 'localhost', 'LOCALHOST:4001', '[::1]:4001', 'node.localhost:4001', '0.0.0.0:4001'])(
    'is no program, and a program that calls the node %s drives it',
    async (host) => {
      expect(await statusOf(node, { method: 'POST', path: '/dev/mine' }, { Host: host })).toBe(200);
      expect(await statusOf(node, OFFSET, { Host: host })).toBe(200);
      expect(node.latestRound).toBe(1n);
    },
  );
});
