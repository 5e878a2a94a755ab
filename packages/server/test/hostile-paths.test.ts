import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import express4 from 'express4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paymentMiddleware, type RoutesConfig } from '../src/index.ts';
import { type FacilitatorStub, startFacilitatorStub } from './support/facilitator-stub.ts';
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

/** Request targets that lead, or could be thought to lead, to something paid. */
const hostile: readonly string[] = [
  '/premium',
  '/PREMIUM',
  '/Premium',
  '/pReMiUm',
  '/premium/',
  '/PREMIUM/',
  '/premium?',
  '/premium?a=b',
  '/premium#x',
  '/premium?/free',
  '/premium/?x=/free',
  '//premium',
  '///premium',
  '/./premium',
  '/premium/.',
  '/free/../premium',
  '/free/%2e%2e/premium',
  '/free/%2E%2E/premium',
  '/free/..%2fpremium',
  '/%70remium',
  '/%50REMIUM',
  '/p%72emium',
  '/premiu%6d',
  '/%2570remium',
  '/premium%2f',
  '/premium%2F',
  '/premium%5c',
  '/premium\\',
  '\\premium',
  '/\\premium',
  '/free\\..\\premium',
  '/premium%00',
  '/premium%20',
  '/premium%09',
  '/premium;a=b',
  '/premium%3f',
  '/premium%23',
  'http://shop.example/premium',
  'HTTP://other.example/premium',
  'http://shop.example//premium',
  'http://a@b/premium',
  '/users/1',
  '/USERS/1',
  '/users/1/',
  '/users/%31',
  '/users/a%2fb',
  '/users/..%2f1',
  '/users//1',
  '/users/1?id=2',
  '/users/%00',
  '/users/%',
  '/users/%zz',
  '/users/%c0%ae',
  '/users/.',
  '/users/%2e',
  '/users/a;b',
  '/deep',
  '/deep/',
  '/deep/a',
  '/deep/a/b/c',
  '/DEEP/a',
  '/deep//a',
  '/deep/../deep/a',
  '/deep/%2e%2e/x',
  '/deep/\u00e9',
  '/deep/a%0ab',
  '/deep/%0d%0aX:y',
  '/deep/a%e2%80%a8b',
  '/deep/..%5c..%5cx',
  '/api/data',
  '/API/data',
  '/api/DATA',
  '/api//data',
  '/api/data/',
  '/api/./data',
  '/api/x/../data',
  '/api/%64ata',
  '/%61pi/data',
  '/api%2fdata',
  '/api\\data',
  '/static/secret.txt',
  '/static/%73ecret.txt',
  '/static//secret.txt',
  '/static/./secret.txt',
  '/static/x/../secret.txt',
  '/static/free/..%2fsecret.txt',
  '/static/free/%2e%2e/secret.txt',
  '/static/free%2f..%2fsecret.txt',
  '/STATIC/secret.txt',
  '/static/secret.txt/',
  '/static%2fsecret.txt',
  '/static/free/..%2f..%2fstatic/secret.txt',
  '/static/%2e/secret.txt',
  '/bracket/x',
  '/BRACKET/x/',
  '/bracket/%2f',
  '/any',
  '/ANY/',
  '/any?x',
];

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
