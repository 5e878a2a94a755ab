import { assert, asyncProperty, constantFrom, jsonValue, oneof, record, string, tuple, webAuthority } from 'fast-check';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentPayload } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../algorand/test/any-character.ts';
import { Discovery, createMemorySettlementStore } from '../../src/index.ts';
import { listingOf } from '../../src/discovery/listing.ts';
import { isOfResource, isPublicHost } from '../../src/discovery/web-url.ts';
import { silentLog } from '../../src/log/log.ts';

const requirements = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: '10458941',
  amount: '10000',
  payTo: 'SELLER',
  maxTimeoutSeconds: 60,
  extra: {},
};

const requestFor = (resource: object, bazaar: unknown) => ({
  paymentRequirements: requirements,
  paymentPayload: {
    x402Version: 2,
    accepted: requirements,
    payload: {},
    resource,
    extensions: { bazaar },
  } as PaymentPayload,
});

const declared = oneof(
  jsonValue(),
  record({
    info: record({ input: record({ type: constantFrom('http', 'mcp'), toolName: string() }) }),
    routeTemplate: jsonValue(),
  }),
);

it('a deposit and what ends a channel list nothing: they pay nobody, and an ending is told again to whoever asks', () => {
  const bazaar = { info: { input: { type: 'http' } } };
  const exact = requestFor({ url: 'https://shop.example/weather' }, bazaar);
  expect(listingOf(exact, { privateUrls: false })).toMatchObject({ listing: { payTo: 'SELLER' } });
  const paymentRequirements = { ...requirements, scheme: 'batch-settlement' };
  expect(listingOf({ ...exact, paymentRequirements }, { privateUrls: false })).toBeUndefined();
});

it('members that a peer sends as null are left out', () => {
  const sent = requestFor(
    { url: 'https://shop.example/weather', iconUrl: null },
    { info: { input: { type: 'http' } } },
  );
  const paymentRequirements = { ...requirements, extra: null as never };
  const listed = { about: {}, accepts: [requirements] };
  expect(listingOf({ ...sent, paymentRequirements }, { privateUrls: false })).toMatchObject({ listing: listed });
  const bare = { ...sent, paymentPayload: { ...sent.paymentPayload, resource: null as never } };
  expect(listingOf(bare, { privateUrls: false })).toBeUndefined();
});

it('a URL is measured as the database gets it, with its characters encoded', () => {
  const of = (name: string) =>
    requestFor({ url: `https://shop.example/${name}` }, { info: { input: { type: 'http' } } });
  expect(listingOf(of('x'.repeat(900)), { privateUrls: false })).toHaveProperty('listing');
  expect(listingOf(of('雨'.repeat(900)), { privateUrls: false })).toEqual({ notListed: 'url_malformed' });
});

it('a tool with too long a name is told so, wherever the name is cut', () => {
  const bazaar = { info: { input: { type: 'mcp', toolName: `${'x'.repeat(63)}\u{1F327}` } } };
  const asked = requestFor({ url: 'https://shop.example/mcp' }, bazaar);
  expect(listingOf(asked, { privateUrls: false })).toMatchObject({ notListed: 'declaration_malformed' });
});

it('no payload that can be settled makes a listing fail, and every entry is bounded and can be asked about', async () => {
  const store = createMemorySettlementStore();
  const failures: unknown[] = [];
  const warn = (facts: object): void => void failures.push(facts);
  const quiet = (): void => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn, error: warn, fatal: warn };
  const isListed = () => true;
  const discovery = new Discovery({
    catalogue: store.catalogue,
    isListed,
    isDevelopment: () => true,
    log,
  });
  const anyText = string({ unit: anyCharacter });
  const webUrl = tuple(webAuthority(), anyText).map(([host, path]) => `https://${host}/${encodeURI(path)}`);
  const resource = record(
    { url: oneof(webUrl, string()), description: anyText, iconUrl: string() },
    { requiredKeys: ['url'] },
  );
  let listed = 0;
  await assert(
    asyncProperty(resource, declared, async (about, bazaar) => {
      const request = requestFor(about, bazaar);
      try {
        parsePaymentPayload(request.paymentPayload);
      } catch {
        return;
      }
      const told = await discovery.settled(request, undefined);
      expect(failures).toEqual([]);
      expect(told).toBeDefined();
      const outcome = listingOf(request, { privateUrls: true });
      if (outcome === undefined || !('listing' in outcome)) return;
      listed++;
      expect(JSON.stringify(outcome.listing).length).toBeLessThan(20_000);
      expect(outcome.listing.about.description ?? '').not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(told).toEqual({ status: 'success' });
      // By the name of its resource: a template need not fit the URL that was paid for.
      expect(await discovery.why(outcome.listing.resource)).toMatchObject({ listed: true });
    }),
    { numRuns: 200 },
  );
  expect(listed).toBeGreaterThan(0);
});

it('a resource whose template does not fit the URL that was paid for is asked about by its template', async () => {
  const discovery = new Discovery({
    catalogue: createMemorySettlementStore().catalogue,
    isListed: () => true,
    isDevelopment: () => true,
    log: silentLog,
  });
  const bazaar = { info: { input: { type: 'http' } }, routeTemplate: '/hZ' };
  await discovery.settled(requestFor({ url: 'http://a.aa' }, bazaar), undefined);
  expect(await discovery.why('http://a.aa/hZ')).toMatchObject({ listed: true });
  expect(await discovery.why('http://a.aa/')).toMatchObject({ listed: false });
});

describe('a URL', () => {
  it.each([
    'https://shop.example/',
    'http://93.184.216.34/',
    'https://[2606:4700:4700::1111]/',
    'https://shop.example.:8443/',
  ])('%s leads to the internet', (text) => {
    expect(isPublicHost(new URL(text))).toBe(true);
  });

  it.each([
    'http://0.0.0.0/',
    'http://0x7f.1/',
    'http://100.64.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:a00:1::]/',
    'http://LOCALHOST./',
    'http://printer.local/',
    'http://db.svc.cluster.local/',
    'http://intranet/',
  ])('%s does not', (text) => {
    expect(isPublicHost(new URL(text))).toBe(false);
  });

  it('is of the resource with the same origin and path, or of the template that its path fits', () => {
    const of = (url: string, resource: string) => isOfResource(new URL(url), resource);
    expect(of('https://a.example/x?y#', 'https://a.example/x')).toBe(true);
    expect(of('https://a.example/x/1/y', 'https://a.example/x/:id/y')).toBe(true);
    expect(of('https://a.example/x/1/2/y', 'https://a.example/x/:id/y')).toBe(false);
    expect(of('https://a.example:8443/x', 'https://a.example/x')).toBe(false);
    expect(of('https://a.example/t#one', 'https://a.example/t#two')).toBe(false);
    expect(of('https://a.example/t', 'https://a.example/t#two')).toBe(true);
  });
});
