import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSeller, type PaymentOptions, type RouteConfig } from '../../src/index.ts';
import { withX402 } from '../../src/hosts/next/next.ts';
import { paymentMiddleware as fetchHandler } from '../../src/hosts/fetch/fetch.ts';
import { FetchRequest } from '../../src/hosts/fetch/fetch-request.ts';
import { FetchResponder } from '../../src/hosts/fetch/fetch-responder.ts';
import { LEFT_GRACE_MS } from '../../src/response/responder.ts';
import { type FacilitatorStub, later } from '../support/facilitator-stub.ts';
import { pay, withPayment } from '../support/payments.ts';
import { eventually, facilitator, offer, offerIn, receiptIn, resources, route } from '../support/shop.ts';

const URL = 'https://shop.example/report';
const publicUrl = 'https://shop.example';
const upfront: RouteConfig = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };

type Handler = (request: Request) => Response | Promise<Response>;

/** A handler that is paid for, called as a host calls it. */
async function selling(handler: Handler, { sold = route, ...options }: PaymentOptions & { sold?: RouteConfig } = {}) {
  const stub: FacilitatorStub = await facilitator();
  const seller = createSeller({ server: resources(stub), publicUrl, onEvent: () => undefined, ...options });
  const ask = fetchHandler(seller.priced(sold), handler);
  const headers = async (paymentId?: string): Promise<Record<string, string>> => {
    const required = offerIn(await ask(new Request(URL)));
    return withPayment(pay(required, paymentId === undefined ? {} : { paymentId }));
  };
  return { ask, stub, headers };
}

describe('a handler from Request to Response', () => {
  it('is not sold without publicUrl: a Request names whatever host its sender likes', async () => {
    const server = resources(await facilitator());
    const refused = expect.objectContaining({ code: 'invalid_option' });
    expect(() => fetchHandler(createSeller({ server }).priced(route), () => new Response())).toThrow(refused);
    expect(() => withX402(() => new Response(), route, server)).toThrow(refused);
  });

  it('of Next is not sold by a table, because Next tells it only the path that was asked for before anything was rewritten', async () => {
    const server = resources(await facilitator());
    const table = { 'GET /weather': route } as unknown as RouteConfig;
    const refused = expect.objectContaining({
      code: 'invalid_route',
      message: expect.stringContaining('accepts is missing'),
    });
    expect(() => withX402(() => new Response(), table, server, { publicUrl })).toThrow(refused);
    expect(() => withX402(() => new Response(), route, server, { publicUrl })).not.toThrow();
  });

  it('is sold by a table also where a proxy of Next reads the path without its base path and locale', async () => {
    const seller = createSeller({ server: resources(await facilitator()), publicUrl, onEvent: () => undefined });
    const ask = fetchHandler(seller.pricedRoutes({ 'GET /report': route }), () => new Response('for all'));
    const asked = (path: string): Request =>
      Object.assign(new Request(`${publicUrl}${path}`), { nextUrl: { pathname: '/report' } });
    for (const path of ['/report', '/fr/report', '/shop/report']) expect((await ask(asked(path))).status).toBe(402);
  });

  it('gets what its host calls it with, and the request that it came as', async () => {
    const seller = createSeller({ server: resources(await facilitator()), publicUrl, onEvent: () => undefined });
    const params = Promise.resolve({ city: 'oslo' });
    const handler = async (request: Request, context: { readonly params: typeof params }): Promise<Response> =>
      Response.json({ url: request.url, ...(await context.params) });
    const ask = fetchHandler(seller.priced(route), handler);
    const required = offerIn(await ask(new Request(URL), { params }));
    const answer = await ask(new Request(URL, { headers: withPayment(pay(required)) }), { params });
    expect(await answer.json()).toEqual({ url: URL, city: 'oslo' });
  });

  it.each([
    ['held', route, 0],
    ['paid already', upfront, 1],
  ])('can’t leave the answer to somebody else, as a proxy of Next does: %s', async (_flow, sold, settled) => {
    const { ask, stub, headers } = await selling(() => new Response(null, { headers: { 'x-middleware-next': '1' } }), {
      sold,
    });
    const asked = ask(new Request(URL, { headers: await headers() }));
    if (settled === 0) await expect(asked).rejects.toMatchObject({ code: 'response_not_settleable' });
    else expect((await asked).headers.has('x-middleware-next')).toBe(false);
    expect(stub.settles()).toHaveLength(settled);
  });

  it('is charged for nothing where its body breaks off, and the host is told why', async () => {
    const failure = new Error('the sensor is gone');
    const broken = () => new ReadableStream({ pull: (controller) => controller.error(failure) });
    const { ask, stub, headers } = await selling(() => new Response(broken()));
    await expect(ask(new Request(URL, { headers: await headers() }))).rejects.toBe(failure);
    expect(stub.settles()).toEqual([]);
  });

  it.each<[string, () => Promise<Response>]>([
    ['Response.error()', async () => Response.error()],
    [
      'a failure whose body it has read itself',
      async () => {
        const response = new Response('no weather', { status: 503 });
        await response.text();
        return response;
      },
    ],
  ])('is charged for nothing where it answers %s, and the host is told', async (_what, handler) => {
    const { ask, stub, headers } = await selling(handler);
    const asked = ask(new Request(URL, { headers: await headers() }));
    await expect(asked).rejects.toThrow(TypeError);
    expect(stub.settles()).toEqual([]);
  });

  it('has its receipt in the answer to a failure where it is paid for already', async () => {
    const failures: unknown[] = [];
    const handler = (): Response => {
      throw new Error('the sensor is gone');
    };
    const onEvent: PaymentOptions['onEvent'] = ({ error }) => error !== undefined && failures.push(error);
    const { ask, headers } = await selling(handler, { sold: upfront, onEvent });
    const answer = await ask(new Request(URL, { headers: await headers() }));
    expect([answer.status, receiptIn(answer)?.success]).toEqual([500, true]);
    await eventually(() => failures).toEqual([new Error('the sensor is gone')]);
  });

  it('gives the room of its request’s body back where it fails after it was paid for', async () => {
    const handler = (): Response => {
      throw new Error('the sensor is gone');
    };
    const { ask, headers } = await selling(handler, { sold: upfront, maxHeldBytes: 10, maxHeldBytesInTotal: 10 });
    for (const name of ['one', 'two', 'six']) {
      const paying = await headers(`pay_0123456789abcdef_${name}`);
      const answer = await ask(new Request(URL, { method: 'POST', headers: paying, body: '12345678' }));
      expect(answer.status).toBe(500);
    }
  });

  it('ends for a host whose client has left before it ran, and runs nothing', async () => {
    let runs = 0;
    const { ask, stub, headers } = await selling(() => Promise.resolve(new Response(String(runs++))));
    const verdict = later<undefined>();
    stub.onVerify = () => verdict.promise;
    const client = new AbortController();
    const asked = ask(new Request(URL, { headers: await headers(), signal: client.signal }));
    await eventually(() => stub.verifies().length).toBe(1);
    client.abort();
    verdict.resolve(undefined);
    expect((await asked).status).toBe(499);
    expect([runs, stub.settles()]).toEqual([0, []]);
  });

  it('ends for a host whose client has left while it ran', async () => {
    const work = later<Response>();
    const { ask, stub, headers } = await selling(() => work.promise);
    const client = new AbortController();
    const asked = ask(new Request(URL, { headers: await headers(), signal: client.signal }));
    await eventually(() => stub.verifies().length).toBe(1);
    client.abort();
    expect((await asked).status).toBe(499);
    work.resolve(new Response('late'));
    expect(stub.settles()).toEqual([]);
  });
});

it('an answer that comes after its exchange was broken off counts as not delivered, and ends its run', async () => {
  const work = later<Response>();
  const responder = new FetchResponder(new FetchRequest(new Request(URL), {}), { handler: () => work.promise });
  responder.response.catch(() => undefined);
  const share = { take: () => true, free: () => undefined };
  const { outcome } = responder.runPaid('receipt', { maxBytes: 10, share });
  responder.destroy();
  work.resolve(new Response('late'));
  expect(await outcome).toEqual({ isDelivered: false });
});

describe('a client that leaves a stream which is paid for', () => {
  const id = 'pay_0123456789abcdef0123456789abcdef';

  /** Reads one part of what streams, leaves, and comes back. */
  async function leaving(parts: readonly string[]) {
    let runs = 0;
    const stream = (): ReadableStream<Uint8Array> => {
      const left = [...parts];
      return new ReadableStream({
        pull: (controller) => {
          const part = left.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(Buffer.from(part));
        },
      });
    };
    const counted = (): Response => {
      runs++;
      return new Response(stream());
    };
    const { ask, headers } = await selling(counted, { sold: upfront, maxStoredBytes: 1 });
    const paying = await headers(id);
    const reader = (await ask(new Request(URL, { headers: paying }))).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const back = await ask(new Request(URL, { headers: paying }));
    return { status: back.status, runs };
  }

  it('before its end has it made again', async () => {
    expect(await leaving(['one', 'two'])).toEqual({ status: 200, runs: 2 });
  });

  it('before its first part, which takes longer than it is waited for, has it made again', async () => {
    const answers = [new Response(new ReadableStream()), new Response('all of it')];
    const { ask, headers } = await selling(() => answers.shift() ?? new Response(), { sold: upfront });
    const paying = await headers(id);
    const left = await ask(new Request(URL, { headers: paying }));
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await left.body?.cancel();
    await vi.advanceTimersByTimeAsync(LEFT_GRACE_MS);
    vi.useRealTimers();
    expect(await (await ask(new Request(URL, { headers: paying }))).text()).toBe('all of it');
  });

  it('after its last part has had it: that the end was not read makes no second one', async () => {
    expect(await leaving(['one'])).toEqual({ status: 402, runs: 1 });
  });
});
