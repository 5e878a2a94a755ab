import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pay, withPayment } from './support/payments.ts';
import { offerAt, openShop } from './support/shop.ts';

/** Buys `/report` from a shop with this handler. */
async function buy(handler: RequestHandler, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const shop = await openShop({ handlers: (app) => void app.get('/report', handler) });
  const payment = pay(await offerAt(`${shop.url}/report`));
  return fetch(`${shop.url}/report`, { headers: { ...withPayment(payment), ...headers } });
}

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'files-'));
    await writeFile(join(folder, 'a.txt'), 'a'.repeat(100_000));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are served by sendFile and by a pipe, whole: a range is not asked for while nothing is paid', async () => {
    const whole = await buy((_q, response) => response.sendFile(join(folder, 'a.txt')));
    expect((await whole.text()).length).toBe(100_000);
    const piped = await buy((_q, response) => void createReadStream(join(folder, 'a.txt')).pipe(response));
    expect((await piped.text()).length).toBe(100_000);
    const part = await buy((_q, response) => response.sendFile(join(folder, 'a.txt')), { range: 'bytes=0-9' });
    expect([part.status, (await part.text()).length]).toEqual([200, 100_000]);
  });
});
