import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSeller, type PaymentOptions } from '../../src/index.ts';
import { type Listener, paymentMiddleware as nodeListener } from '../../src/hosts/node/node.ts';
import { hostile } from '../support/hostile-targets.ts';
import { pay, withPayment } from '../support/payments.ts';
import { rawRequest } from '../support/raw-request.ts';
import { facilitator, listen, offer, offerAt, offerIn, resources, route } from '../support/shop.ts';

async function selling(listener: Listener, options: PaymentOptions = {}) {
  const stub = await facilitator();
  const failures: unknown[] = [];
  const onEvent: PaymentOptions['onEvent'] = ({ error }) => error !== undefined && failures.push(error);
  const seller = createSeller({ server: resources(stub), onEvent, ...options });
  const url = await listen(nodeListener(seller.pricedRoutes({ 'GET /report': route }), listener));
  return { url: `${url}/report`, stub, failures };
}

/** The path as a server of files finds it: what follows the first `?` is cut off, and dots are resolved. */
function fileOf(target: string): string {
  const [path = ''] = target.replace(/^http:\/\/[^/]*/i, '').split('?');
  try {
    return posix.normalize(decodeURIComponent(path)).replace(/(.)\/$/, '$1');
  } catch {
    return '';
  }
}

describe('a listener of node:http', () => {
  it('that finds files by the target without its query gives none unpaid, whatever stands in the target', async () => {
    const stub = await facilitator();
    const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
    const ran: string[] = [];
    const listener: Listener = ({ url = '' }, response) => {
      if (fileOf(url) === '/premium') ran.push(url);
      response.end();
    };
    const paid = await listen(nodeListener(seller.pricedRoutes({ 'GET /premium': route }), listener));
    for (const target of hostile) await rawRequest(paid, target);
    expect(ran).toEqual([]);
    const unpaid = await listen(listener);
    for (const target of hostile) await rawRequest(unpaid, target);
    expect(ran.length).toBeGreaterThan(20);
  });

  it('names the address that it was reached at, and no proxy’s', async () => {
    const { url } = await selling(() => undefined);
    const headers = { Host: 'other.example', 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Proto': 'https' };
    expect((await offerAt(`${url}?a=b`, { headers })).resource.url).toBe(`${url}?a=b`);
  });

  it.each<[string, Listener]>([
    [
      'throws',
      () => {
        throw new Error('no weather');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no weather'))],
  ])('that %s is reported, answered with 500, and charged for nothing', async (_how, listener) => {
    const { url, stub, failures } = await selling(listener);
    const answer = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([answer.status, await answer.text(), stub.settles()]).toEqual([500, 'the request failed', []]);
    expect(failures).toEqual([new Error('no weather')]);
  });

  it('that fails after its answer has begun breaks off', async () => {
    const { url } = await selling((request, response) => {
      response.write('half');
      throw new Error(request.url);
    });
    await expect(fetch(url.replace('report', 'free')).then((answer) => answer.text())).rejects.toThrow(TypeError);
  });

  it('is told of a price function that fails by a 500 without details', async () => {
    const stub = await facilitator();
    const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
    const price = (): string => {
      throw new Error('the price list is gone');
    };
    const accepts = { ...offer, price };
    const url = await listen(nodeListener(seller.priced({ accepts }), () => undefined));
    const answer = await fetch(url);
    expect([answer.status, (await answer.text()).includes('price list')]).toEqual([500, false]);
  });

  it('reads prices by its query: a text, or a list where a name comes more than once', async () => {
    const seen: unknown[] = [];
    const stub = await facilitator();
    const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
    const price = ({ adapter }: { adapter: { getQueryParam?: (name: string) => unknown } }): string => {
      seen.push(adapter.getQueryParam?.('size'), adapter.getQueryParam?.('tag'));
      return '$0.02';
    };
    const accepts = { ...offer, price };
    const url = await listen(nodeListener(seller.priced({ accepts }), () => undefined));
    const unpaid = await fetch(`${url}/?size=large&tag=a&tag=b`);
    expect([offerIn(unpaid).accepts[0]?.amount, seen]).toEqual(['20000', ['large', ['a', 'b']]]);
  });
});
