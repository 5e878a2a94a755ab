import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EventHub } from '../src/server/event-hub.ts';

it('a page is told nothing after the end, even while its connection is still there', async () => {
  const page = Object.assign(new PassThrough(), { writeHead: () => undefined });
  const failures: unknown[] = [];
  page.on('error', (error) => failures.push(error));
  const hub = new EventHub();
  hub.join(page as unknown as ServerResponse);
  hub.tell('payment', '{}');
  hub.close();
  hub.tell('payment', '{}');
  await setImmediate();
  expect(failures).toEqual([]);
  expect(String(page.read())).toBe('retry: 1000\n\nevent: payment\ndata: {}\n\n');
});

it('a page that reads nothing is cut off, so that what it is told does not fill the memory', () => {
  const page = Object.assign(new PassThrough(), { writeHead: () => undefined });
  const hub = new EventHub();
  hub.join(page as unknown as ServerResponse);
  for (let told = 0; told < 20; told++) hub.tell('payment', JSON.stringify('x'.repeat(100_000)));
  hub.close();
  expect(page.destroyed).toBe(true);
});
