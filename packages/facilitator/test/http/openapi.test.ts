import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Callers, createFacilitatorApp, Discovery, createMemorySettlementStore, Metrics } from '../../src/index.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { goodDeclaration, URL_SOLD } from '../discovery/discovery-stage.ts';

const KEY = 'operator-key-0123456789';
const SHOP_KEY = 'shop-key-0123456789abcdef';
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

let h: DevnodeHarness;
let app: FastifyInstance;
let document: OpenApiDocument;
let validate: (path: string, status: number, body: unknown) => void;

beforeAll(async () => {
  const store = createMemorySettlementStore();
  h = await DevnodeHarness.start({ facilitator: { store } });
  const merchant = h.account('merchant').address;
  app = createFacilitatorApp(h.facilitator, {
    metrics: new Metrics(),
    ledger: store,
    discovery: new Discovery({ catalogue: store.catalogue, isListed: () => true, isDevelopment: () => true }),
    callers: Callers.parse(
      JSON.stringify([
        { name: 'shop', keySha256: sha256(SHOP_KEY), receivers: [merchant] },
        { name: 'operations', keySha256: sha256(KEY), operator: true },
      ]),
    ),
  });
  document = (await app.inject('/openapi.json')).json();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  validate = (path, status, body) => {
    const pointer = ['paths', path, path.match(/verify|settle$/) ? 'post' : 'get', 'responses', String(status)];
    const at = [...pointer, 'content', 'application/json', 'schema'].map((key) => key.replaceAll('/', '~1'));
    const check = ajv.getSchema(`document#/${at.join('/')}`);
    expect(check, `a schema of ${path} ${status}`).toBeDefined();
    expect([check?.(body), check?.errors ?? []], `${path} ${status}`).toEqual([true, []]);
  };
});

afterAll(async () => {
  await app.close();
  await h.stop();
});

/** Asks a route, and holds its answer to the document. */
async function ask(path: string, url = path, key: string | undefined = KEY, payload?: object) {
  const headers = key === '' ? {} : { authorization: `Bearer ${key}` };
  const answer = await app.inject({ method: payload ? 'POST' : 'GET', url, headers, ...(payload && { payload }) });
  validate(path, answer.statusCode, answer.json());
  return answer;
}

async function sale() {
  const paymentRequirements = h.requirements();
  const payment = await h.pay(paymentRequirements);
  const resource = { url: URL_SOLD, description: 'Tomorrow’s weather', mimeType: 'application/json' };
  return {
    x402Version: 2,
    paymentPayload: { ...payment, resource, extensions: { bazaar: goodDeclaration() } },
    paymentRequirements,
  };
}

/** What the app routes, as `GET /path`; fastify shows it as a tree of beginnings. */
function routesOf(server: FastifyInstance): string[] {
  const above: string[] = [];
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part, methods] = /^(.*?)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
      if (part === undefined) return [];
      above.splice(indent.length / 4, Infinity, part);
      const named = methods?.split(', ').filter((method) => method !== 'HEAD') ?? [];
      return named.map((method) => `${method} ${above.join('')}`);
    });
}

describe('/openapi.json', () => {
  it('is a valid document of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
    expect([valid, errors]).toEqual([true, undefined]);
    expect(document.openapi).toBe('3.1.0');
  });

  it('has every route of the app, and no others', () => {
    const served = routesOf(app);
    expect(served.length).toBeGreaterThan(10);
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(served.toSorted()).toEqual(described.toSorted());
  });

  it('leaves out what an app does not serve', async () => {
    const small = createFacilitatorApp(h.facilitator);
    const { paths } = (await small.inject('/openapi.json')).json<OpenApiDocument>();
    expect(Object.keys(paths)).not.toContain('/metrics');
    expect(Object.keys(paths)).not.toContain('/settlements');
    await small.close();
  });

  it('describes the answers that routes give: good ones', async () => {
    const body = await sale();
    const verified = await ask('/verify', '/verify', SHOP_KEY, body);
    expect(verified.json()).toMatchObject({ isValid: true });
    const settled = await ask('/settle', '/settle', SHOP_KEY, body);
    const { transaction } = settled.json<{ transaction: string }>();
    expect(settled.json()).toMatchObject({ success: true });
    await ask('/supported');
    await ask('/settlements/{txId}', `/settlements/${transaction}`);
    await ask('/settlements', '/settlements?limit=1&state=confirmed');
    const totals = await ask('/settlements/totals');
    expect(totals.json()).toMatchObject({ totals: [{ settlements: '1' }] });
    const listed = await ask('/discovery/resources');
    expect(listed.json()).toMatchObject({ items: [{ resource: URL_SOLD }] });
    await ask('/discovery/search', '/discovery/search?query=weather');
    await ask('/discovery/why', `/discovery/why?url=${encodeURIComponent(URL_SOLD)}`);
    await ask('/discovery/why', '/discovery/why?url=https%3A%2F%2Fother.example%2F');
    await ask('/health');
    await ask('/ready');
  });

  it('describes the answers that routes give: refusals', async () => {
    const { paymentPayload, paymentRequirements } = await sale();
    const wrong = { paymentPayload, paymentRequirements: { ...paymentRequirements, amount: '7' } };
    expect((await ask('/verify', '/verify', KEY, wrong)).json()).toMatchObject({ isValid: false });
    expect((await ask('/settle', '/settle', KEY, wrong)).json()).toMatchObject({ success: false });
    expect((await ask('/settle', '/settle', KEY, {})).statusCode).toBe(400);
    expect((await ask('/verify', '/verify', '', wrong)).statusCode).toBe(401);
    expect((await ask('/settlements/{txId}', '/settlements/NONE')).statusCode).toBe(404);
    expect((await ask('/settlements', '/settlements?limit=many')).statusCode).toBe(400);
    expect(
      (await ask('/settlements', `/settlements?receiver=${h.account('payer').address}`, SHOP_KEY)).statusCode,
    ).toBe(403);
    expect((await ask('/discovery/why', '/discovery/why')).statusCode).toBe(400);
  });

  it('describes the queries that routes take', () => {
    const parameters = document.paths['/settlements']?.['get']?.parameters ?? [];
    expect(parameters.filter((one) => one.in === 'query').map(({ name }) => name)).toEqual([
      'receiver',
      'payer',
      'state',
      'from',
      'until',
      'cursor',
      'limit',
      'format',
    ]);
    const search = document.paths['/discovery/search']?.['get']?.parameters.find(({ name }) => name === 'query');
    expect(search?.required).toBe(true);
  });
});

describe('/docs', () => {
  it('shows every route and message, runs nothing, and asks nobody else', async () => {
    const { headers, body } = await app.inject('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    for (const path of Object.keys(document.paths)) expect(body).toContain(` ${path}</code>`);
    for (const name of Object.keys(document.components.schemas)) expect(body).toContain(`id="${name}"`);
    expect(body).not.toMatch(/<script|<link|<img|src=|url\(|@import|style="/);
    const links = [...body.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => href !== '/openapi.json' && !body.includes(`id="${href.slice(1)}"`))).toEqual([]);
  });

  it('has the style that its policy names', async () => {
    const { headers, body } = await app.inject('/docs');
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(body) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toContain(`'sha256-${digest}'`);
  });
});
