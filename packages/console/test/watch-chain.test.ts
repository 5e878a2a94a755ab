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
