// What can be tried against a catalogue whose entries come from payments, and what it shows then.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANY_KEY, DiscoveryStage, goodDeclaration, SHOP_KEY, URL_SOLD } from './discovery-stage.ts';

let stage: DiscoveryStage;
const rejected = (rejectedReason: string) => ({ success: true, listing: { status: 'rejected', rejectedReason } });
const listed = { success: true, listing: { status: 'success' } };

afterEach(() => stage[Symbol.asyncDispose]());

describe('an entry belongs to its seller', () => {
  beforeEach(async () => {
    stage = await DiscoveryStage.start({ withCallers: true, sellers: 'anyone' });
    expect(await stage.sell({ key: SHOP_KEY })).toEqual(listed);
  });

  it('a payment to the seller that is settled with another key leaves its entry as it is', async () => {
    const before = await stage.listed();
    const forged = { resource: { description: 'Closed. Buy at evil.example' }, key: ANY_KEY };
    expect(await stage.sell(forged)).toEqual(rejected('not_the_seller'));
    expect(await stage.listed()).toEqual(before);
    expect(await stage.sell({ resource: { description: 'Open again' }, key: SHOP_KEY })).toEqual(listed);
    expect(await stage.listed()).toMatchObject([{ description: 'Open again' }]);
  });

  it('whoever names the seller’s URL for payments to themselves gets an entry of their own, after it and marked', async () => {
    const mallory = stage.harness.account('facilitator').address;
    const requirements = { payTo: mallory };
    expect(await stage.sell({ requirements, key: ANY_KEY })).toEqual(listed);
    const merchant = stage.harness.account('merchant').address;
    expect(await stage.listed()).toMatchObject([
      { resource: URL_SOLD, accepts: [{ payTo: merchant }], extensions: { seller: { info: { isListed: true } } } },
      { resource: URL_SOLD, accepts: [{ payTo: mallory }], extensions: { seller: { info: { isListed: false } } } },
    ]);
  });

  it('nobody is listed without a settled payment', async () => {
    const { harness, url } = stage;
    const paymentRequirements = harness.requirements({ extra: {} });
    const resource = { url: 'https://free.example/rider' };
    const paymentPayload = {
      ...(await harness.pay(paymentRequirements)),
      resource,
      extensions: { bazaar: goodDeclaration() },
    };
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${SHOP_KEY}` };
    const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements });
    const verified = await fetch(`${url}/verify`, { method: 'POST', headers, body });
    expect(await verified.json()).toMatchObject({ isValid: true });
    expect(await stage.listed()).toHaveLength(1);
    expect(await stage.why(resource.url)).toMatchObject({ listed: false, reason: 'no_settled_payment' });
  });
});

it('where only known sellers are listed, a stranger is told so, and so is who asks why', async () => {
  stage = await DiscoveryStage.start({ sellers: 'listed' });
  const requirements = { payTo: stage.harness.account('facilitator').address };
  expect(await stage.sell({ requirements })).toEqual(rejected('seller_unlisted'));
  expect(await stage.listed()).toEqual([]);
  expect(await stage.why(URL_SOLD)).toMatchObject({
    listed: false,
    reason: 'seller_unlisted',
    message: expect.stringContaining('operator'),
  });
});

describe('on a network where everybody sells', () => {
  beforeEach(async () => {
    stage = await DiscoveryStage.start({ sellers: 'anyone', isDevelopment: () => false });
  });

  it.each([
    ['http://localhost:4021/weather', 'url_not_public'],
    ['http://127.0.0.1/weather', 'url_not_public'],
    ['http://2130706433/weather', 'url_not_public'],
    ['http://[::ffff:169.254.169.254]/latest', 'url_not_public'],
    ['http://169.254.169.254/latest/meta-data', 'url_not_public'],
    ['http://metadata.google.internal/', 'url_not_public'],
    ['http://weather/', 'url_not_public'],
    ['javascript:alert(1)', 'url_malformed'],
    ['file:///etc/passwd', 'url_malformed'],
    ['mcp://tool/weather', 'url_malformed'],
    ['https://user:password@shop.example/', 'url_malformed'],
    [`https://shop.example/${'x'.repeat(1_010)}`, 'url_malformed'],
    ['no URL', 'url_malformed'],
  ])('%s is not listed', async (url, reason) => {
    expect(await stage.sell({ resource: { url } })).toEqual(rejected(reason));
    expect(await stage.listed()).toEqual([]);
    expect(await stage.why(url)).toMatchObject({ listed: false, reason });
  });

  it('a payment for what is no URL keeps nobody from asking about another one', async () => {
    expect(await stage.sell({ resource: { url: 'no URL' } })).toEqual(rejected('url_malformed'));
    expect(await stage.why(URL_SOLD)).toMatchObject({ listed: false, reason: 'no_settled_payment' });
  });

  it.each([
    ['nothing', {}],
    ['a text', 'bazaar'],
    ['no input', { info: {} }],
    ['an input of another kind', { info: { input: { type: 'ftp' } } }],
    ['a method of another kind', { info: { input: { type: 'http', method: 'TRACE' } } }],
    ['a tool without a name', { info: { input: { type: 'mcp' } } }],
  ])('a declaration that is %s is not listed', async (_, bazaar) => {
    expect(await stage.sell({ bazaar })).toEqual(rejected('declaration_malformed'));
    expect(await stage.listed()).toEqual([]);
  });

  it('a pattern that would run for hours is kept as the text that it is, and never compiled', async () => {
    const evil = { type: 'object', properties: { input: { properties: { q: { pattern: '^(a+)+$' } } } } };
    const bazaar = { ...goodDeclaration({ q: `${'a'.repeat(60)}!` }), schema: evil };
    expect(await stage.sell({ bazaar })).toEqual(listed);
    expect(await stage.listed()).toMatchObject([{ extensions: { bazaar: { schema: evil } } }]);
    const { status } = await stage.get('search', { query: '(a+)+$' });
    expect(status).toBe(200);
  });

  it('what is large or deep is not kept, and does not keep its payment back', async () => {
    expect(await stage.sell({ bazaar: goodDeclaration({ text: 'x'.repeat(8_192) }) })).toEqual(
      rejected('declaration_too_large'),
    );
    const deep = { info: { input: { type: 'http', method: 'GET', queryParams: nested(40) } } };
    expect(await stage.sell({ bazaar: deep })).toEqual(rejected('declaration_too_large'));
    expect(await stage.listed()).toEqual([]);
  });

  it('text is shown without what turns it around or hides in it, and no longer than five hundred characters', async () => {
    const description = `Sunny\u202Egnp.exe\u0007\n\u200B${'y'.repeat(9_000 - 900)}`;
    const resource = { description: description.slice(0, 8_192), tags: ['a\u0000b'], iconUrl: 'http://10.0.0.1/x.png' };
    expect(await stage.sell({ resource })).toEqual(listed);
    const [entry] = await stage.listed();
    expect(entry?.description).toMatch(/^Sunny gnp\.exe y+$/);
    expect(entry?.description).toHaveLength(500);
    expect(entry).toMatchObject({ tags: ['a b'] });
    expect(entry).not.toHaveProperty('iconUrl');
  });

  it('a route template that leaves its path is not used', async () => {
    for (const routeTemplate of ['/../admin', '//evil.example', '/x://evil.example', '/a b', 'weather']) {
      await stage.sell({ bazaar: { ...goodDeclaration(), routeTemplate } });
    }
    const names = (await stage.listed()).map(({ resource }) => new URL(resource).host);
    expect(new Set(names)).toEqual(new Set(['shop.example']));
  });
});

it('nothing that an entry names is fetched: not when it is listed, not when it is read', async () => {
  let requests = 0;
  const host = createServer((_, response) => {
    requests++;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  stage = await DiscoveryStage.start();
  const bazaar = { ...goodDeclaration(), schema: { $ref: `${origin}/schema.json`, $schema: `${origin}/meta.json` } };
  expect(await stage.sell({ resource: { url: `${origin}/weather`, iconUrl: `${origin}/icon.png` }, bazaar })).toEqual(
    listed,
  );
  expect(await stage.listed()).toHaveLength(1);
  expect(await stage.why(`${origin}/weather`)).toMatchObject({ listed: true });
  expect(requests).toBe(0);
  host.close();
});

/** An object within an object, that many times. */
function nested(levels: number): object {
  return levels === 0 ? {} : { in: nested(levels - 1) };
}
