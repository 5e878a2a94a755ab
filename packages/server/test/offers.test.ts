import { describe, expect, it } from 'vitest';
import { ALGORAND_MAINNET, ALGORAND_TESTNET, algorandNetworkLong } from '@avm402/core/network';
import { TESTNET } from '@avm402/algorand/networks';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ExactAvmScheme as StockScheme } from '@x402/avm/exact/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { declareDiscovery, type HTTPRequestContext, paymentMiddleware, type RouteConfig } from '../src/index.ts';
import { account, merchant, pay, payOffer, sponsor, withPayment } from './support/payments.ts';
import { rawRequest } from './support/raw-request.ts';
import { facilitator, listen, offer, offerAt, offerIn, openShop, receiptIn, resources, route } from './support/shop.ts';

const quiet = { onEvent: () => undefined };
const LONG = algorandNetworkLong(TESTNET.genesisHash);

/** What goes wrong when a middleware is made from one route. */
async function problemOf(config: unknown, server?: x402ResourceServer): Promise<{ code: string; message: string }> {
  try {
    await paymentMiddleware({ 'GET /x': config as RouteConfig }, server ?? resources(await facilitator()), quiet).ready;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing is wrong');
}

describe('what is wrong with an offer is said at start, with the name of its route', () => {
  it.each([
    [{ ...offer, price: '$0' }, 'price_not_positive'],
    [{ ...offer, price: '-1' }, 'price_not_positive'],
    [{ ...offer, price: '$0.0000001' }, 'price_too_precise'],
    [{ ...offer, price: 1e-7 }, 'invalid_price'],
    [{ ...offer, price: 'one dollar' }, 'invalid_price'],
    [{ ...offer, price: '0.01 EURC' }, 'invalid_price'],
    [{ ...offer, price: { asset: '31566704', amount: '1.5' } }, 'invalid_amount'],
    [{ ...offer, price: { asset: '31566704', amount: '0' } }, 'price_not_positive'],
    [{ ...offer, price: { asset: 'USDC', amount: '1' } }, 'unsupported_asset'],
    [{ ...offer, price: { asset: '0', amount: '1' } }, 'unsupported_asset'],
    [{ ...offer, extra: { asset: '123' } }, 'asset_decimals_unknown'],
    [{ ...offer, extra: { asset: '123', decimals: 20 } }, 'asset_decimals_unknown'],
    [{ ...offer, extra: { asset: '0', decimals: 6 } }, 'unsupported_asset'],
    [{ ...offer, extra: { paymentFlow: 'escrow' } }, 'invalid_route'],
    [{ ...offer, payTo: 'nonsense' }, 'invalid_pay_to'],
    [{ ...offer, payTo: sponsor }, 'invalid_pay_to'],
    [{ ...offer, network: 'eip155:84532' }, 'unsupported_network'],
    [{ ...offer, network: 'algorand:mainnet' }, 'unsupported_network'],
    [{ ...offer, network: ALGORAND_MAINNET }, 'unsupported_network'],
    [{ ...offer, scheme: 'upto' }, 'unsupported_scheme'],
    [[], 'invalid_route'],
  ])('%j: %s', async (accepts, code) => {
    const problem = await problemOf({ accepts });
    expect(problem).toMatchObject({ code, message: expect.stringContaining('"GET /x"') });
  });

  it('a scheme that truncates or gives away is found out', async () => {
    const stub = await facilitator();
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: stub.url })).register(
      'algorand:*',
      new StockScheme(),
    );
    expect(await problemOf({ accepts: { ...offer, price: '$0.0000001' } }, server)).toMatchObject({
      code: 'price_not_positive',
    });
    expect(await problemOf({ accepts: { ...offer, price: '$0.0100009' } }, server)).toMatchObject({
      code: 'price_too_precise',
    });
    expect(await problemOf({ accepts: { ...offer, extra: { asset: '1' } } }, server)).toMatchObject({
      code: 'unsupported_asset',
    });
  });

  it('an offer that does not fit into a header names its largest part', async () => {
    expect(await problemOf({ accepts: offer, description: 'x'.repeat(7000) })).toMatchObject({
      code: 'header_budget_exceeded',
      message: expect.stringContaining('description (7002 characters)'),
    });
    const bazaar = declareDiscovery({ output: { example: { text: 'x'.repeat(6000) } } });
    expect(await problemOf({ accepts: offer, extensions: bazaar })).toMatchObject({
      message: expect.stringContaining('extensions.bazaar'),
    });
    expect(await problemOf({ accepts: Array.from({ length: 40 }, () => offer) })).toMatchObject({
      message: expect.stringContaining('the 40 offers of accepts'),
    });
  });

  it('a mistyped option is refused, for it would be no limit', async () => {
    const server = resources(await facilitator());
    const options = { maxPaymentPerPayer: 3 } as object;
    expect(() => paymentMiddleware({ 'GET /x': route }, server, options)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
    expect(() => paymentMiddleware({ 'GET /x': route }, server, { maxHeldBytes: -1 })).toThrow(/maxHeldBytes/);
    expect(() => paymentMiddleware({ 'GET /x': route }, server, { publicUrl: 'example.com' })).toThrow(/publicUrl/);
  });
});

describe('several offers', () => {
  it('are paid by any of them: other spelling, other asset, other receiver', async () => {
    const other = account(7).address;
    const accepts = [
      { ...offer, network: LONG },
      offer,
      { ...offer, price: '$0.5', extra: { asset: '123456', decimals: 2, tag: 'reports' } },
      { ...offer, price: { asset: '777', amount: '5' }, payTo: other },
    ];
    const shop = await openShop({ routes: { 'GET /report': { accepts } } });
    const required = await offerAt(`${shop.url}/report`);
    expect(required.accepts.map(({ network, asset, amount, payTo }) => [network, asset, amount, payTo])).toEqual([
      [LONG, '10458941', '10000', merchant],
      [ALGORAND_TESTNET, '10458941', '10000', merchant],
      [ALGORAND_TESTNET, '123456', '50', merchant],
      [ALGORAND_TESTNET, '777', '5', other],
    ]);
    for (const accepted of required.accepts) {
      const response = await fetch(`${shop.url}/report`, { headers: withPayment(payOffer(required, accepted)) });
      expect(response.status).toBe(200);
      expect(receiptIn(response)?.network).toBe(accepted.network);
    }
    expect(required.accepts.map(({ extra }) => [extra['asset'], extra['tag']])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ['123456', 'reports'],
      [undefined, undefined],
    ]);
  });
});

describe('a price that depends on the request', () => {
  const shopWith = (price: (context: HTTPRequestContext) => string, options = {}) =>
    openShop({ routes: { 'GET /report': { accepts: { ...offer, price } } }, ...options });

  it('is honoured as it was quoted, although it has changed meanwhile', async () => {
    let cents = 1;
    const shop = await shopWith(() => `$0.0${cents}`);
    const required = await offerAt(`${shop.url}/report`);
    cents = 2;
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(pay(required)) });
    expect(response.status).toBe(200);
    expect((await offerAt(`${shop.url}/report`)).accepts[0]?.amount).toBe('20000');
  });

  it('is honoured as it was quoted, however often it has changed since', async () => {
    let [units, now] = [1, Date.now()];
    const shop = await shopWith(() => `$0.00${String(units).padStart(4, '0')}`, { monotonicNow: () => now });
    const first = await offerAt(`${shop.url}/report`);
    for (let second = 0; second < 299; second++) {
      [units, now] = [units + 1, now + 1000];
      await fetch(`${shop.url}/report`);
    }
    expect((await fetch(`${shop.url}/report`, { headers: withPayment(pay(first)) })).status).toBe(200);
  });

  it.each([301_000, -86_400_000])(
    'is honoured only until the quote expires, also where the time was set by %i ms',
    async (step) => {
      let [cents, now, elapsed] = [1, Date.now(), 0];
      const shop = await shopWith(() => `$0.0${cents}`, { now: () => now, monotonicNow: () => elapsed });
      const required = await offerAt(`${shop.url}/report`);
      [cents, now, elapsed] = [2, now + step, 301_000];
      const response = await fetch(`${shop.url}/report`, { headers: withPayment(pay(required)) });
      expect([response.status, offerIn(response).error]).toEqual([402, 'no_matching_offer']);
    },
  );

  it('is honoured only for the request that it was quoted for', async () => {
    const shop = await shopWith(({ adapter }) => (adapter.getQueryParam?.('size') === 'large' ? '$1' : '$0.01'));
    const cheap = pay(await offerAt(`${shop.url}/report?size=small`));
    const response = await fetch(`${shop.url}/report?size=large`, { headers: withPayment(cheap) });
    expect([response.status, offerIn(response).error]).toEqual([402, 'no_matching_offer']);
    expect((await fetch(`${shop.url}/report?size=small`, { headers: withPayment(cheap) })).status).toBe(200);
  });

  it('may depend on the body, which is bound to its quote', async () => {
    const shop = await openShop({
      routes: {
        'POST /report': {
          accepts: {
            ...offer,
            price: ({ adapter }) => `$0.0${JSON.parse(JSON.stringify(adapter.getBody?.() ?? {})).n}`,
            payTo: () => merchant,
          },
        },
      },
      before: (app) => void app.use(express.json()),
      handlers: (app) => void app.post('/report', (request, response) => void response.json(request.body)),
    });
    const ask = (n: number, headers = {}) =>
      fetch(`${shop.url}/report`, {
        method: 'POST',
        body: JSON.stringify({ n }),
        headers: { 'content-type': 'application/json', ...headers },
      });
    const cheap = withPayment(pay(offerIn(await ask(1))));
    expect((await ask(9, cheap)).status).toBe(402);
    expect((await ask(1, cheap)).status).toBe(200);
  });

  it('that can’t be built goes to the error handler of the app, and nothing is served', async () => {
    const shop = await openShop({
      routes: { 'GET /report': { accepts: { ...offer, price: () => '$0' } } },
      before: (app) => void app.set('env', 'test'),
    });
    expect((await fetch(`${shop.url}/report`)).status).toBe(500);
    expect(shop.runs()).toBe(0);
  });
});

describe('discovery', () => {
  const output = { example: { report: { weather: 'sunny' } } };
  it.each([
    ['ours', declareDiscovery({ output })],
    ['stock’s', declareDiscoveryExtension({ output })],
  ])('declared by %s function is completed with the method', async (_whose, extensions) => {
    const shop = await openShop({ routes: { 'GET /report': { ...route, extensions: { ...extensions } } } });
    const { extensions: declared } = await offerAt(`${shop.url}/report`);
    expect(declared?.['bazaar']).toMatchObject({
      info: { input: { type: 'http', method: 'GET' }, output },
      schema: { properties: { input: { properties: { method: { enum: ['GET'] } } } } },
    });
  });

  it('of a route with parameters carries its template', async () => {
    const shop = await openShop({
      routes: { 'GET /weather/:city': { ...route, extensions: { ...declareDiscovery() } } },
      handlers: (app) => void app.get('/weather/:city', (_q, response) => void response.send('x')),
    });
    expect((await offerAt(`${shop.url}/weather/oslo`)).extensions?.['bazaar']).toMatchObject({
      routeTemplate: '/weather/:city',
      info: { input: { pathParams: { city: 'oslo' } } },
    });
  });

  it('tells the facilitator what the seller declared, whatever the payer made of it', async () => {
    const shop = await openShop({ routes: { 'GET /report': { ...route, extensions: { ...declareDiscovery() } } } });
    const required = await offerAt(`${shop.url}/report`);
    const payment = {
      ...pay(required),
      resource: { url: 'https://evil.example/' },
      extensions: { bazaar: { info: { input: { type: 'http', method: 'GET', evil: true } } }, other: { info: {} } },
    };
    expect((await fetch(`${shop.url}/report`, { headers: withPayment(payment) })).status).toBe(200);
    const sent = JSON.stringify(shop.stub.calls.map(({ body }) => body));
    expect(sent).not.toContain('evil');
    expect(sent).toContain(`${shop.url}/report`);
  });
});

describe('an extension that is registered with the stock server object', () => {
  it('completes its part of the offer', async () => {
    const server = resources(await facilitator()).registerExtension({
      key: 'receipts',
      enrichDeclaration: (declaration) => ({ ...Object(declaration), declared: true }),
      enrichPaymentRequiredResponse: async (declaration) => ({ ...Object(declaration), signed: 'yes' }),
    });
    const app = express();
    const extensions = { receipts: { info: 1 }, ...declareDiscovery() };
    app.use(paymentMiddleware({ 'GET /x': { ...route, extensions } }, server, quiet));
    const required = await offerAt(`${await listen(app)}/x`);
    expect(required.extensions).toMatchObject({
      receipts: { info: 1, declared: true, signed: 'yes' },
      bazaar: { info: { input: { method: 'GET' } } },
      'payment-identifier': { info: { required: false } },
    });
  });
});

/** What a person reads on a page. */
function textOf(page: string): string {
  return page
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ');
}

describe('a page for people', () => {
  it('says what is for sale, for how much, where and how to pay; everything is escaped', async () => {
    const shop = await openShop({
      routes: { 'GET /report': { accepts: offer, description: '<script>alert("x")</script>' } },
    });
    const response = await fetch(`${shop.url}/report`, { headers: { accept: 'text/html,*/*' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([402, 'text/html; charset=utf-8']);
    expect(response.headers.get('payment-required')).not.toBeNull();
    const page = await response.text();
    expect(textOf(page)).toContain(`$0.01 USDC on TestNet to ${merchant}`);
    // Under its scope: a name without one may be anybody's.
    expect(page).toContain('npx avm402 pay');
    expect(page).not.toContain('<script');
  });

  it('says once who is paid by several offers', async () => {
    const stranger = account(7).address;
    const shop = await openShop({
      routes: { 'GET /report': { accepts: [offer, { ...offer, price: '$0.02' }, { ...offer, payTo: stranger }] } },
    });
    const page = textOf(await (await fetch(`${shop.url}/report`, { headers: { accept: 'text/html' } })).text());
    expect(page).toContain(
      `$0.01 USDC on TestNet $0.02 USDC on TestNet to ${merchant} $0.01 USDC on TestNet to ${stranger}`,
    );
  });

  it('shows an offer once, however many spellings of its network are offered, and each price in its own words', async () => {
    const shop = await openShop({
      routes: {
        'GET /report': {
          accepts: [
            offer,
            { ...offer, network: LONG },
            { ...offer, price: { asset: '7', amount: '50' } },
            { ...offer, price: '$2.5', extra: { asset: '8', decimals: 2 } },
          ],
        },
      },
    });
    const page = textOf(await (await fetch(`${shop.url}/report`, { headers: { accept: 'text/html' } })).text());
    expect(page.match(/\S+ (?:USDC|(?:atomic units )?of asset \d) on \S+/g)).toEqual([
      '$0.01 USDC on TestNet',
      '50 atomic units of asset 7 on TestNet',
      '2.50 of asset 8 on TestNet',
    ]);
  });

  it('shows a command that is safe to copy, whatever URL somebody was led to', async () => {
    const shop = await openShop({ routes: { 'GET /*': route } });
    const path = "/report;reboot?a=$(reboot)&b='`reboot`";
    const answer = await rawRequest(shop.url, path, 'GET', ['Accept: text/html']);
    const [, command = ''] = /<code>npx avm402 pay (.*?)<\/code>/.exec(answer) ?? [];
    const shown = command.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    expect(shown).toBe(`'${shop.url}/report;reboot?a=$(reboot)&b=%27\`reboot\`'`);
  });

  it('may be the seller’s own', async () => {
    const shop = await openShop({ routes: { 'GET /report': { ...route, customPaywallHtml: '<p>mine</p>' } } });
    expect(await (await fetch(`${shop.url}/report`, { headers: { accept: 'text/html' } })).text()).toBe('<p>mine</p>');
  });
});

describe('a body of the seller’s own', () => {
  it('is answered without payment, and when settlement fails', async () => {
    const shop = await openShop({
      routes: {
        'GET /report': {
          ...route,
          unpaidResponseBody: () => ({ contentType: 'application/json', body: { preview: 'some' } }),
          settlementFailedResponseBody: (_context, { errorReason }) => ({
            contentType: 'text/plain',
            body: errorReason,
          }),
        },
      },
    });
    const unpaid = await fetch(`${shop.url}/report`);
    expect(await unpaid.json()).toEqual({ preview: 'some' });
    shop.stub.onSettle = ({ txId }) => ({
      body: { success: false, errorReason: 'settlement_rejected', transaction: txId, network: '' },
    });
    const failed = await fetch(`${shop.url}/report`, { headers: withPayment(pay(offerIn(unpaid))) });
    expect([failed.headers.get('content-type'), await failed.text()]).toEqual(['text/plain', 'settlement_rejected']);
  });
});

describe('other assets', () => {
  it('are priced in dollars when the scheme is told their decimals', async () => {
    const stub = await facilitator();
    const scheme = new ExactAvmServer({ assets: [{ network: ALGORAND_TESTNET, asset: '999', decimals: 2 }] });
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: stub.url })).register('algorand:*', scheme);
    const app = express();
    app.use(paymentMiddleware({ 'GET /x': { accepts: { ...offer, extra: { asset: '999' } } } }, server, quiet));
    const { accepts } = await offerAt(`${await listen(app)}/x`);
    expect(accepts[0]).toMatchObject({ asset: '999', amount: '1' });
  });
});
