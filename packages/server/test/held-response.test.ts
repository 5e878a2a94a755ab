import { Readable } from 'node:stream';
import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import { describe, expect, it } from 'vitest';
import { HeldBody } from '../src/response/held-body.ts';
import { HeldBytes } from '../src/response/held-bytes.ts';
import { paymentMiddleware, type PaymentEvent } from '../src/index.ts';
import { later } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import {
  eventually,
  facilitator,
  listen,
  offerAt,
  offerIn,
  openShop,
  receiptIn,
  resources,
  route,
  type ShopOptions,
} from './support/shop.ts';

/** Buys `/report` from a shop with this handler. */
async function buy(handler: RequestHandler, options: ShopOptions = {}) {
  const shop = await openShop({ handlers: (app) => void app.get('/report', handler), ...options });
  const payment = pay(await offerAt(`${shop.url}/report`));
  const response = await fetch(`${shop.url}/report`, { headers: withPayment(payment) });
  return { shop, response, payment, url: `${shop.url}/report` };
}

const bodies: readonly [string, RequestHandler][] = [
  ['send', (_q, response) => void response.send('hello world')],
  ['end(text)', (_q, response) => void response.end('hello world')],
  ['writeHead and end', (_q, response) => void response.writeHead(200, { 'x-a': '1' }).end('hello world')],
  [
    'writeHead with a list of headers',
    (_q, response) => void response.writeHead(200, ['x-a', '1', 'x-b', '2']).end('hello world'),
  ],
  ['end(text, encoding)', (_q, response) => void response.end('68656c6c6f20776f726c64', 'hex')],
  [
    'several writes',
    (_q, response) => {
      response.write('hello');
      response.write(Buffer.from(' wor'));
      response.end('ld');
    },
  ],
  [
    'end(callback)',
    (_q, response) => {
      response.write('hello world');
      response.end(() => undefined);
    },
  ],
  [
    'write(callback) one after the other',
    (_q, response) => {
      response.write('hello', () => response.write(' wor', 'utf8', () => response.end('ld')));
    },
  ],
  ['pipe', (_q, response) => void Readable.from(['hello', ' ', 'world']).pipe(response)],
  [
    'a buffer that is used again after its callback',
    (_q, response) => {
      const buffer = Buffer.from('hello ');
      response.write(buffer, () => {
        buffer.write('world ');
        response.end(buffer.subarray(0, 5));
      });
    },
  ],
  [
    'flushHeaders first',
    (_q, response) => {
      response.flushHeaders();
      response.end('hello world');
    },
  ],
  [
    'an async handler',
    async (_q, response) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      response.send('hello world');
    },
  ],
];

describe('a handler that answers 2xx', () => {
  it.each(bodies)('by %s is settled once and served whole', async (_name, handler) => {
    const { response, shop } = await buy(handler);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('hello world');
    expect(response.headers.get('content-length')).toBe('11');
    expect(receiptIn(response)).toMatchObject({ success: true });
    expect(shop.stub.settles()).toHaveLength(1);
  });

  it('sees the response as it would be without payment', async () => {
    const seen: unknown[] = [];
    const { response } = await buy((_q, reply) => {
      seen.push(reply.headersSent, reply.writableEnded);
      reply.write('a');
      seen.push(reply.headersSent, reply.writableEnded);
      reply.end('b', () => seen.push('finished'));
      seen.push(reply.headersSent, reply.writableEnded);
    });
    expect(await response.text()).toBe('ab');
    await eventually(() => seen).toEqual([false, false, true, false, true, true, 'finished']);
  });

  it('may answer text of any characters: it leaves as UTF-8, with the length of its bytes', async () => {
    const { response } = await buy((_request, answer) => {
      answer.write('Gr\u00fc\u00dfe');
      answer.end(' \u{1f511}');
    });
    expect(response.headers.get('content-length')).toBe('12');
    expect(await response.text()).toBe('Gr\u00fc\u00dfe \u{1f511}');
  });

  it('nothing of it leaves before it is settled', async () => {
    const shop = await openShop();
    const settled = later<undefined>();
    shop.stub.onSettle = () => settled.promise;
    const payment = pay(await offerAt(`${shop.url}/report`));
    let answered = false;
    const pending = fetch(`${shop.url}/report`, { headers: withPayment(payment) }).then((response) => {
      answered = true;
      return response;
    });
    await eventually(() => shop.stub.settles().length).toBe(1);
    expect(answered).toBe(false);
    settled.resolve(undefined);
    expect((await pending).status).toBe(200);
  });

  it('keeps status text, several cookies and its own caching, but for shared caches', async () => {
    const { response } = await buy((_q, reply) => {
      reply.statusMessage = 'Fine';
      reply
        .set('Cache-Control', 'public, max-age=60, s-maxage=600')
        .append('Set-Cookie', ['a=1', 'b=2'])
        .status(201)
        .end('x');
    });
    expect([response.status, response.statusText]).toEqual([201, 'Fine']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('cache-control')).toBe('private, max-age=60');
  });

  it.each([
    ['CDN-Cache-Control', 'no-store'],
    ['Cloudflare-CDN-Cache-Control', 'no-store'],
    ['Surrogate-Control', 'no-store'],
    ['X-Accel-Expires', '0'],
  ])('lets no shared cache keep it by %s, which comes before Cache-Control there', async (header, said) => {
    const { response } = await buy((_q, reply) => void reply.set(header, 'max-age=600').end('x'));
    expect([response.status, response.headers.get(header)]).toEqual([200, said]);
  });

  it('keeps a response without body as it is', async () => {
    const { response } = await buy((_q, reply) => void reply.sendStatus(204));
    expect(response.status).toBe(204);
    expect(receiptIn(response)?.success).toBe(true);
  });

  it.each([
    ['before', (app: Express) => void app.use(compression({ threshold: 0 })), () => undefined],
    ['after', () => undefined, (app: Express) => void app.use(compression({ threshold: 0 }))],
  ] as const)('is compressed by a middleware that stands %s', async (_where, before, after) => {
    const text = 'compressible '.repeat(500);
    const { response } = await buy(() => undefined, {
      before,
      handlers: (app) => {
        after(app);
        app.get('/report', (_q, reply) => void reply.send(text));
      },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(text);
  });
});

describe('a handler that does not answer 2xx', () => {
  const failures: readonly [string, number, RequestHandler][] = [
    ['status', 500, (_q, response) => void response.status(500).send('failed')],
    ['writeHead', 503, (_q, response) => void response.writeHead(503).end('failed')],
    [
      'statusCode',
      404,
      (_q, response) => {
        response.statusCode = 404;
        response.end('failed');
      },
    ],
    ['redirect', 302, (_q, response) => response.redirect('/elsewhere')],
    ['not modified', 304, (_q, response) => void response.status(304).end()],
    [
      'throw',
      418,
      () => {
        throw Object.assign(new Error('teapot'), { status: 418, expose: true });
      },
    ],
    ['next(error)', 418, (_q, _response, next) => next(Object.assign(new Error('teapot'), { status: 418 }))],
    ['a rejected promise', 418, () => Promise.reject(Object.assign(new Error('teapot'), { status: 418 }))],
  ];

  it.each(failures)('by %s costs nothing, and the payment can be used again', async (_name, status, handler) => {
    let isFailing = true;
    const { response, shop, payment, url } = await buy(
      (request, reply, next) => (isFailing ? handler(request, reply, next) : void reply.send('now it works')),
      {
        before: (app) => void app.set('env', 'test'),
      },
    );
    await response.text();
    expect(response.redirected ? 302 : response.status).toBe(status === 302 ? 302 : status);
    expect(receiptIn(response)).toBeUndefined();
    expect(shop.stub.settles()).toHaveLength(0);
    isFailing = false;
    const again = await fetch(url, { headers: withPayment(payment) });
    expect([again.status, await again.text()]).toEqual([200, 'now it works']);
  });

  it('may fail as often as it likes before it answers: nothing was charged', async () => {
    let runs = 0;
    const { url, payment, shop } = await buy((_q, response) => {
      runs++;
      response.status(runs <= 5 ? 503 : 200).end();
    });
    for (const status of [503, 503, 503, 503, 200]) {
      expect((await fetch(url, { headers: withPayment(payment) })).status).toBe(status);
    }
    expect([runs, shop.stub.settles().length]).toEqual([6, 1]);
  });

  it('after it has begun to answer is cut off by Express, and costs nothing', async () => {
    const shop = await openShop({
      handlers: (app) =>
        void app.get('/report', (_q, response) => {
          response.write('half of it');
          throw new Error('broken');
        }),
    });
    const payment = pay(await offerAt(`${shop.url}/report`));
    await expect(fetch(`${shop.url}/report`, { headers: withPayment(payment) })).rejects.toThrow(TypeError);
    expect(shop.stub.settles()).toHaveLength(0);
  });

  it('that never answers is given up after its time, and costs nothing', async () => {
    const { response, shop } = await buy(() => undefined, { handlerTimeoutMs: 50 });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: 'handler_timeout' });
    expect(shop.stub.settles()).toHaveLength(0);
  });

  it('that answers after its time does no harm', async () => {
    let late: unknown;
    const { response } = await buy(
      (_q, reply) => {
        setTimeout(() => {
          reply.setHeader('x-late', '1');
          reply.writeHead(200, { 'x-late': '2' });
          late = reply.write('late');
          reply.end('late');
        }, 80);
      },
      { handlerTimeoutMs: 30 },
    );
    expect(response.status).toBe(504);
    await eventually(() => late).toBe(false);
  });
});

/** What a seller is told; the buyer gets the catalogue's words. */
function failureThatSays(text: string): unknown {
  return expect.objectContaining({
    type: 'failed',
    error: expect.objectContaining({ message: expect.stringContaining(text) }),
  });
}

describe('a response that can’t be held', () => {
  it('as an event stream is refused at once, with the way out', async () => {
    const events: PaymentEvent[] = [];
    const { response, shop } = await buy(
      (_q, reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        setInterval(() => reply.write('data: x\n\n'), 5).unref();
      },
      { onEvent: (event) => events.push(event) },
    );
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: 'response_not_settleable',
      remedy: expect.stringContaining('upfront'),
    });
    expect(events).toContainEqual(failureThatSays("paymentFlow: 'upfront'"));
    expect(shop.stub.settles()).toHaveLength(0);
  });

  it('for its announced length is refused at once', async () => {
    const events: PaymentEvent[] = [];
    const { response } = await buy((_q, reply) => void reply.setHeader('content-length', 2000).write('x'), {
      maxHeldBytes: 1000,
      onEvent: (event) => events.push(event),
    });
    expect(response.status).toBe(500);
    expect(events).toContainEqual(failureThatSays('2000 bytes'));
  });

  it('for its length as it turns out is refused when it gets too long, and its source is stopped', async () => {
    let produced = 0;
    const source = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1000, ++produced % 256);
      })(),
    );
    const { response } = await buy((_q, reply) => void source.pipe(reply), { maxHeldBytes: 10_000 });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: 'response_not_settleable' });
    const soFar = produced;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(produced - soFar).toBeLessThan(40);
  });
});

describe('when settlement is refused', () => {
  it('nothing of the handler is left in the answer: status, headers, cookies, body, encoding', async () => {
    const shop = await openShop({
      before: (app) =>
        void app.use((_q, response, next) => {
          response.setHeader('x-before', 'kept');
          response.setHeader('x-changed', 'before');
          next();
        }),
      handlers: (app) =>
        void app.get('/report', (_q, response) => {
          response.writeEarlyHints({ link: '</secret>; rel=preload' });
          response.statusMessage = 'Secret';
          response.set({ 'x-secret': 'secret', 'x-changed': 'secret', 'content-encoding': 'gzip', etag: '"secret"' });
          response.cookie('session', 'secret').send('secret');
        }),
    });
    shop.stub.onSettle = ({ txId }) => ({
      body: {
        success: false,
        errorReason: 'settlement_rejected',
        transaction: txId,
        network: '',
      },
    });
    const payment = pay(await offerAt(`${shop.url}/report`));
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(payment) });
    expect(response.status).toBe(402);
    expect(response.statusText).toBe('Payment Required');
    expect(receiptIn(response)).toMatchObject({ success: false, errorReason: 'settlement_rejected' });
    expect(offerIn(response).error).toBe('settlement_rejected');
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain('secret');
    expect(response.headers.get('x-before')).toBe('kept');
    expect(response.headers.get('x-changed')).toBe('before');
  });
});

describe('Express 4', () => {
  it('serves sync and async handlers alike, and its errors go to the handler of the app', async () => {
    const stub = await facilitator();
    const app = express4();
    app.use(paymentMiddleware({ 'GET /:kind': route }, resources(stub), { onEvent: () => undefined }));
    app.get('/sync', (_q, response) => void response.json({ kind: 'sync' }));
    app.get('/async', async (_q, response) => {
      await Promise.resolve();
      response.json({ kind: 'async' });
    });
    app.get('/fails', () => {
      throw new Error('x');
    });
    const onError: express.ErrorRequestHandler = (_error, _q, response, _next) =>
      void response.status(555).send('ours');
    app.use(onError);
    const url = await listen(app);
    const get = async (path: string) => {
      const response = await fetch(url + path, { headers: withPayment(pay(await offerAt(url + path))) });
      return [response.status, await response.text()];
    };
    expect(await get('/sync')).toEqual([200, '{"kind":"sync"}']);
    expect(await get('/async')).toEqual([200, '{"kind":"async"}']);
    expect(await get('/fails')).toEqual([555, 'ours']);
    expect(stub.settles()).toHaveLength(2);
  });
});

it('a copy that had no room for a part stays none, though later parts would fit', () => {
  const share = new HeldBytes(10, 10).share('payer');
  const copy = new HeldBody({ maxBytes: 100, share });
  for (const part of ['123456', '1234567', '12']) copy.add(part);
  expect([copy.isWhole, copy.parts]).toEqual([false, []]);
});
