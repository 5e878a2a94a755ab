import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnode } from '@avm402/devnode';
import { expect, it } from 'vitest';
import { LedgerHistory } from '../src/payments/ledger-history.ts';
import type { EventHub } from '../src/server/event-hub.ts';
import { NodeAccess } from '../src/server/node-access.ts';
import { watchChain } from '../src/server/watch-chain.ts';

it('what was kept of a chain is forgotten when the node answers again: it may be another chain by then', async () => {
  const told: string[] = [];
  let more = Promise.withResolvers<void>();
  const hub: Pick<EventHub, 'tell'> = {
    tell(event, json) {
      told.push(`${event} ${json}`);
      more.resolve();
      more = Promise.withResolvers();
    },
  };
  const toldTimes = async (line: string, times: number): Promise<void> => {
    while (told.filter((one) => one === line).length < times) await more.promise;
  };
  const node = await startDevnode({ port: 0 });
  const access = new NodeAccess({ url: node.url, token: node.token }, fetch);
  const history = new LedgerHistory(access.controls, Date.now);
  const stop = watchChain(access, { hub, history });
  await toldTimes('node {"answers":true}', 1);
  await node.mine(3);
  await toldTimes('round {"round":3}', 1);
  await history.keep();
  expect(history.before(100)?.round).toBe(3);

  const data = await mkdtemp(join(tmpdir(), 'avm402-another-chain-'));
  const before = await startDevnode({ port: 0, data });
  await before.mine(10);
  await before.stop();
  await node.stop();
  const another = await startDevnode({ port: Number(new URL(node.url).port), data });
  await toldTimes('node {"answers":true}', 2);
  await history.keep();
  expect(history.before(100)?.round).toBe(10);
  expect(history.before(5)).toBeUndefined();
  stop();
  await another.stop();
  await rm(data, { recursive: true });
});

it('a watch that is stopped before the node has answered listens to nothing', async () => {
  const node = await startDevnode({ port: 0 });
  const access = new NodeAccess({ url: node.url, token: node.token }, fetch);
  const told: string[] = [];
  const hub = { tell: (event: string, json: string) => void told.push(`${event} ${json}`) };
  watchChain(access, { hub, history: new LedgerHistory(access.controls, Date.now) })();
  const heard = Promise.withResolvers<unknown>();
  const stop = await access.controls.listen({ onEvent: heard.resolve, onEnd: () => {} });
  await node.mine(1);
  await heard.promise;
  expect(told).toEqual([]);
  stop();
  await node.stop();
});

it('an algod that lets nobody wait is asked once a second, and a chain that went back is another one', async () => {
  let [round, waits] = [5, 0];
  const ask: typeof fetch = async (input) => {
    await new Promise((resolve) => setImmediate(resolve));
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.startsWith('/v2/status')) return new Response('{}', { status: 404 });
    if (pathname.includes('wait')) waits++;
    return Response.json({ 'last-round': round, 'last-version': 'future', 'catchup-time': 0 });
  };
  const access = new NodeAccess({ url: 'http://algod.invalid', token: '' }, ask);
  const told: string[] = [];
  const anew = Promise.withResolvers<void>();
  const hub = {
    tell: (event: string, json: string) => {
      told.push(`${event} ${json}`);
      if (told.length === 3) anew.resolve();
    },
  };
  const stop = watchChain(access, { hub, history: new LedgerHistory(access.controls, Date.now) });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(waits).toBe(1);
  round = 3;
  await anew.promise;
  expect(told).toEqual(['node {"answers":true}', 'node {"answers":false}', 'node {"answers":true}']);
  stop();
});
