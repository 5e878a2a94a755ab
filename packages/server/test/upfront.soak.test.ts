import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pay, withPayment } from './support/payments.ts';
import { afterwards, offer, offerAt, openShop, route } from './support/shop.ts';

const GIGABYTE = 1_000_000_000;

it('a file of 1 GB that is paid up front goes to a reader who dawdles, at flat memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gigabyte-'));
  afterwards(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file.bin');
  const file = await openFile(path, 'w');
  await file.truncate(GIGABYTE);
  await file.close();
  const shop = await openShop({
    routes: { 'GET /file': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } },
    handlers: (app) => void app.get('/file', (_request, response) => response.sendFile(path)),
  });
  const url = `${shop.url}/file`;
  const paymentId = `pay_${'0123456789abcdef'.repeat(2)}`;
  const headers = withPayment(pay(await offerAt(url), { paymentId }));
  const before = process.memoryUsage().rss;
  let [bytes, most] = [0, 0];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on('error', reject);
  });
  for await (const chunk of response) {
    bytes += chunk.length;
    most = Math.max(most, process.memoryUsage().rss - before);
    if (bytes % 10_000_000 < chunk.length) await setTimeout(5);
  }
  expect(bytes).toBe(GIGABYTE);
  expect(most).toBeLessThan(150_000_000);
});
