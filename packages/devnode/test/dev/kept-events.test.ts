import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnswerStream } from '../../src/rest/answer.ts';
import { eventRoutes } from '../../src/dev/event-stream.ts';
import { DataDirectory } from '../../src/durable/data-directory.ts';
import { testNode } from '../chain-fixture.ts';

test('an event is told when what it tells is kept, in order, and none after the end', async () => {
  const node = testNode();
  let [keep, lose] = [(): void => {}, (): void => {}];
  let kept: Promise<void> | undefined;
  const wait = (): void => {
    kept = new Promise((resolve, reject) => {
      keep = resolve;
      lose = (): void => reject(new Error('no disk'));
    });
  };
  const written: string[] = [];
  const stream: AnswerStream = {
    write: (text) => void written.push(/id: (\d+)/.exec(text)?.[1] ?? ''),
    end: () => void written.push('end'),
  };
  const [route] = eventRoutes({ events: node.events, kept: () => kept });
  const answer = await route?.handle(
    {},
    { body: () => Promise.reject(new Error('none')), signal: AbortSignal.any([]) },
  );
  if (answer === undefined || !('begin' in answer)) throw new Error('no stream');
  answer.begin(stream);

  await node.controls.mine();
  expect(written).toEqual(['1']);
  wait();
  await node.controls.mine(2);
  expect(written).toEqual(['1']);
  keep();
  await kept;
  expect(written).toEqual(['1', '2', '3']);
  wait();
  await node.controls.mine();
  lose();
  await kept?.catch(() => {});
  expect(written).toEqual(['1', '2', '3', 'end']);
  kept = undefined;
  await node.controls.mine();
  node.close();
  expect(written).toEqual(['1', '2', '3', 'end']);
});

test('a jump, which is kept at once, is told after the blocks before it', async () => {
  const node = testNode();
  const { promise, resolve: keep } = Promise.withResolvers<void>();
  let kept: Promise<void> | undefined = promise;
  const written: string[] = [];
  const [route] = eventRoutes({ events: node.events, kept: () => kept });
  const answer = await route?.handle(
    {},
    { body: () => Promise.reject(new Error('none')), signal: AbortSignal.any([]) },
  );
  if (answer === undefined || !('begin' in answer)) throw new Error('no stream');
  const stop = answer.begin({ write: (text) => void written.push(text.split('\n', 2).join(' ')), end: () => {} });
  await node.controls.mine(2);
  kept = undefined;
  node.controls.reset();
  await node.controls.mine();
  keep();
  await promise;
  expect(written).toEqual(['event: block id: 1', 'event: block id: 2', 'event: jump id: 0', 'event: block id: 1']);
  stop();
  node.close();
});

test('when an event is told, its block is already on its way to the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'devnode-events-'));
  const data = await DataDirectory.open(folder, () => {});
  const node = testNode({ data });
  const waits: boolean[] = [];
  node.events.listen({ onEvent: () => void waits.push(node.kept() !== undefined), onEnd: () => {} });
  await node.controls.mine();
  expect(waits).toEqual([true]);
  node.close();
  await data.close();
  rmSync(folder, { recursive: true });
});

test('a stream without events is kept alive: clients give up one that says nothing for minutes', async () => {
  const node = testNode();
  const { promise: beaten, resolve } = Promise.withResolvers<string>();
  const [route] = eventRoutes({ events: node.events, kept: () => undefined }, { heartbeatMs: 1 });
  const answer = await route?.handle(
    {},
    { body: () => Promise.reject(new Error('none')), signal: AbortSignal.any([]) },
  );
  if (answer === undefined || !('begin' in answer)) throw new Error('no stream');
  let written = 0;
  const stop = answer.begin({ write: (text) => resolve(text.repeat(++written)), end: () => {} });
  // A comment, which readers of server-sent events pass over.
  expect(await beaten).toMatch(/^: [^\n]*\n\n$/);
  stop();
  const atEnd = written;
  await new Promise((over) => setTimeout(over, 10));
  expect(written).toBe(atEnd);
  node.close();
});
