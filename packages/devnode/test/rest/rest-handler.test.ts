import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DevnodeError } from '../../src/errors.ts';
import { emptyAnswer, jsonAnswer } from '../../src/rest/answer.ts';
import { createAuthentication } from '../../src/rest/authentication.ts';
import { pathUint64, queryBoolean } from '../../src/rest/parameter.ts';
import { BodyBudget } from '../../src/rest/request-body.ts';
import { createRestHandler } from '../../src/rest/rest-handler.ts';
import { startRestServer, type RestServer } from '../../src/rest/rest-server.ts';
import { route } from '../../src/rest/route.ts';
import { createRouter } from '../../src/rest/router.ts';
import { openSocket, parseAnswer, readToEnd, requestBytes, type RawAnswer } from './raw-socket.ts';

const ROUTES = [
  route({ method: 'GET', path: '/open', access: 'open', summary: '', handle: () => jsonAnswer({ a: 1 }) }),
  route({ method: 'GET', path: '/public', summary: '', handle: () => jsonAnswer({ a: 1 }) }),
  route({ method: 'GET', path: '/empty', summary: '', handle: () => emptyAnswer() }),
  route({
    method: 'GET',
    path: '/refused',
    summary: '',
    handle() {
      throw new DevnodeError('refused', 'no <way>', { status: 418, data: { left: 2n ** 64n - 1n } });
    },
  }),
  route({
    method: 'GET',
    path: '/broken',
    summary: '',
    handle() {
      throw new TypeError('secret inside');
    },
  }),
  route({
    method: 'GET',
    path: '/number/:value',
    summary: '',
    parameters: { value: pathUint64(''), flag: queryBoolean('') },
    handle: ({ value, flag }) => jsonAnswer({ value, flag }),
  }),
];

describe('one request', () => {
  const internal: unknown[] = [];
  const answered: unknown[] = [];
  let server: RestServer;
  let kept: () => Promise<void> | undefined;

  beforeEach(async () => {
    internal.length = 0;
    answered.length = 0;
    kept = () => undefined;
    const handler = createRestHandler({
      router: createRouter(ROUTES),
      authenticate: createAuthentication({ token: 't', adminToken: 'a', auth: true }),
      host: '127.0.0.1',
      bodies: new BodyBudget(1000),
      privateNetwork: false,
      tokenHeader: 'X-Algo-API-Token',
      kept: () => kept(),
      onAnswer: (answer) => answered.push(answer),
      onInternalError: (error) => internal.push(error),
    });
    const listening = { host: '127.0.0.1', port: 0, portFlag: '--port' } as const;
    server = await startRestServer({ ...listening, handler, maxRequests: 10, maxSockets: 10, readTimeoutMs: 5000 });
  });
  afterEach(() => server.close());

  const get = async (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> => {
    const socket = await openSocket(server.url);
    const token = { 'X-Algo-API-Token': 't' };
    socket.end(requestBytes({ method: 'GET', path, headers: { ...token, ...headers }, body: Buffer.alloc(0) }));
    const answer = parseAnswer(await readToEnd(socket));
    if (!answer) throw new Error('no answer');
    return answer;
  };
  const body = ({ headers, body: bytes }: RawAnswer): string =>
    String(headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes);

  test('whose handler fails gets a 500 that tells nothing of the failure, which is reported', async () => {
    const answer = await get('/broken');
    expect([answer.status, body(answer)]).toEqual([500, '{"message":"Internal Server Error"}\n']);
    expect(internal).toEqual([expect.objectContaining({ message: 'secret inside' })]);
    expect((await get('/public')).status).toBe(200);
  });

  test('is answered only when what happened before is kept', async () => {
    const order: string[] = [];
    kept = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push('kept');
    };
    for (const path of ['/public', '/refused', '/nowhere']) {
      await get(path);
      order.push(path);
    }
    expect(order).toEqual(['kept', '/public', 'kept', '/refused', 'kept', '/nowhere']);
  });

  test('gets a 500 when what happened before can’t be kept, and the node is told', async () => {
    kept = () => Promise.reject(new DevnodeError('internal', 'no disk', { status: 500 }));
    const answer = await get('/public');
    expect([answer.status, body(answer)]).toEqual([500, '{"message":"no disk"}\n']);
    expect(internal).toEqual([expect.objectContaining({ message: 'no disk' })]);
  });

  test('that is refused gets message, data and status of the refusal', async () => {
    const answer = await get('/refused');
    expect(answer.status).toBe(418);
    expect(body(answer)).toBe('{"data":{"left":18446744073709551615},"message":"no \\u003cway\\u003e"}\n');
  });

  test('is answered in gzip by handlers, but not by the router', async () => {
    const gzip = { 'Accept-Encoding': 'deflate, gzip' };
    expect((await get('/refused', gzip)).headers.get('content-encoding')).toBe('gzip');
    expect(body(await get('/public', gzip))).toBe('{"a":1}\n');
    expect((await get('/number/x', gzip)).headers.get('content-encoding')).toBeUndefined();
    expect((await get('/nowhere', gzip)).headers.get('content-encoding')).toBeUndefined();
    expect((await get('/empty', gzip)).headers.get('content-encoding')).toBeUndefined();
  });

  test('is answered indented when it asks for pretty, except on open routes', async () => {
    expect(body(await get('/public?pretty'))).toBe('{\n  "a": 1\n}\n');
    expect(body(await get('/nowhere?pretty'))).toBe('{\n  "message": "Not Found"\n}\n');
    expect(body(await get('/open?pretty'))).toBe('{"a":1}\n');
  });

  test('gets its parameters undone of percent encoding, and the whole tail in the last one', async () => {
    expect(body(await get('/number/%34%32?flag=T'))).toBe('{"value":42,"flag":true}\n');
    expect(body(await get('/number/4/2'))).toContain(String.raw`parsing \"4/2\"`);
    expect((await get('/%6Fpen')).status).toBe(404);
    expect((await get('/number/%zz')).status).toBe(400);
    expect((await get('/number/1?flag=%zz')).status).toBe(200);
  });

  test('may name the whole URL', async () => {
    expect((await get(`${server.url}/public`)).status).toBe(200);
    expect((await get('*')).status).toBe(404);
  });

  test('is counted by the pattern of its route, or without one', async () => {
    await get('/number/7');
    await get('/nowhere/7');
    expect(answered).toEqual([
      { method: 'GET', path: '/number/:value', status: 200 },
      { method: 'GET', path: undefined, status: 404 },
    ]);
  });
});
