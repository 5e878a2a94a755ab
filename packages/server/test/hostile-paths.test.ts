import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import express4 from 'express4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paymentMiddleware, type RoutesConfig } from '../src/index.ts';
import { type FacilitatorStub, startFacilitatorStub } from './support/facilitator-stub.ts';
import { hostile } from './support/hostile-targets.ts';
import { rawRequest, statusIn } from './support/raw-request.ts';
import { listen, resources, route } from './support/shop.ts';

const SECRET = 'paid content';

const routes: RoutesConfig = {
  'GET /premium': route,
  'GET /users/:id': route,
  'GET /deep/*': route,
  'GET /api/data': route,
  'GET /static/secret.txt': route,
  'GET /bracket/[name]': route,
  '/any': route,
};

/** Set up alike in both versions of Express, but for their names of wildcards. */
function app(
  create: typeof express,
  wildcard: string,
  folder: string,
  ran: (path: string) => void,
  stub?: FacilitatorStub,
) {
  const shop = create();
  if (stub !== undefined) shop.use(paymentMiddleware(routes, resources(stub), { onEvent: () => undefined }));
  const sell: express.RequestHandler = (request, response) => {
    ran(request.originalUrl);
    response.send(SECRET);
  };
  shop.get('/premium', sell);
  shop.get('/users/:id', sell);
  shop.get('/deep', sell);
  shop.get(`/deep/${wildcard}`, sell);
  shop.get('/bracket/:name', sell);
  shop.all('/any', sell);
  const api = create.Router();
  api.get('/data', sell);
  shop.use('/api', api);
  shop.use('/static', create.static(folder));
  shop.get('/free', (_request, response) => void response.send('free'));
  return shop;
}

let folder: string;
let stub: FacilitatorStub;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'static-'));
  await writeFile(join(folder, 'secret.txt'), SECRET);
  await mkdir(join(folder, 'free'));
  await writeFile(join(folder, 'free', 'open.txt'), 'open');
  stub = await startFacilitatorStub();
});
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
});

const versions = [
  ['Express 5', express, '*splat'],
  ['Express 4', express4, '*'],
] as const;

describe.each(versions)('%s', (_name, create, wildcard) => {
  it(`none of ${hostile.length} hostile paths reaches what is paid, by GET or HEAD`, async () => {
    const ran: string[] = [];
    const url = await listen(app(create, wildcard, folder, (path) => ran.push(path), stub));
    for (const target of hostile) {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await rawRequest(url, target, method);
        expect({ method, target, status: statusIn(answer), given: answer.includes(SECRET) }).toEqual({
          method,
          target,
          status: expect.toSatisfy((status: number) => [0, 400, 402, 404].includes(status)),
          given: false,
        });
      }
    }
    expect(ran).toEqual([]);
  });

  it('these paths do lead to what is paid where nobody asks for payment', async () => {
    const url = await listen(app(create, wildcard, folder, () => undefined));
    const answers = await Promise.all(hostile.map((target) => rawRequest(url, target)));
    expect(answers.filter((answer) => answer.includes(SECRET)).length).toBeGreaterThan(40);
  });

  it('asks 402 of a HEAD request, without a body, and runs nothing', async () => {
    const ran: string[] = [];
    const url = await listen(app(create, wildcard, folder, (path) => ran.push(path), stub));
    const answer = await rawRequest(url, '/premium', 'HEAD');
    expect(statusIn(answer)).toBe(402);
    expect(answer.toLowerCase()).toContain('payment-required: ');
    expect(answer.endsWith('\r\n\r\n')).toBe(true);
    expect(ran).toEqual([]);
  });

  it('leaves what is free alone', async () => {
    const url = await listen(app(create, wildcard, folder, () => undefined, stub));
    for (const target of ['/free', '/static/free/open.txt', '/static/free/%6fpen.txt']) {
      expect(statusIn(await rawRequest(url, target))).toBe(200);
    }
    expect(statusIn(await rawRequest(url, '/nothing'))).toBe(404);
  });
});
