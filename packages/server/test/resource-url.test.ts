import type { Socket } from 'node:net';
import { recordSpans } from '@avm402/testkit/spans';
import type express from 'express';
import { describe, expect, it } from 'vitest';
import { originOf } from '../src/hosts/node/request-origin.ts';
import { offerAt, openShop } from './support/shop.ts';

describe('the URL that an offer names', () => {
  it('comes from publicUrl, else from a trusted proxy, else from the socket; never from the asker', async () => {
    const spoofed = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    const at = async (before: (app: express.Express) => void, options = {}) => {
      const shop = await openShop({ before, ...options });
      return [(await offerAt(`${shop.url}/report?a=b`, { headers: spoofed })).resource.url, shop.url];
    };
    const [direct, socket] = await at(() => undefined);
    expect(direct).toBe(`${socket}/report?a=b`);
    expect((await at((app) => void app.set('trust proxy', 'loopback')))[0]).toBe('https://evil.example/report?a=b');
    expect((await at(() => undefined, { publicUrl: 'https://shop.example/base/' }))[0]).toBe(
      'https://shop.example/base/report?a=b',
    );
  });

  it.each(['javascript', 'javascript:alert(1)//', 'data', '', 'file'])(
    'is never of a scheme that a proxy passes on from the asker: X-Forwarded-Proto: %s',
    async (scheme) => {
      const shop = await openShop({ before: (app) => void app.set('trust proxy', 'loopback') });
      const headers = { 'X-Forwarded-Proto': scheme };
      const { resource } = await offerAt(`${shop.url}/report`, { headers });
      expect(resource.url).toBe(`${shop.url}/report`);
    },
  );

  it.each(['a:b:c', 'shop.example:99999', '['])(
    'is never one that no URL can have, which a proxy passes on from the asker: X-Forwarded-Host: %s',
    async (host) => {
      const spans = recordSpans();
      const shop = await openShop({
        before: (app) => void app.set('trust proxy', 'loopback'),
        tracer: spans.tracer,
      });
      const { resource } = await offerAt(`${shop.url}/report`, { headers: { 'X-Forwarded-Host': host } });
      expect(resource.url).toBe(`${shop.url}/report`);
    },
  );

  it('has an address without the scope that it has on this machine alone', () => {
    const socket = { localAddress: 'fe80::1%eth0', localPort: 4021 } as Socket;
    expect(originOf(socket)).toBe('http://[fe80::1]:4021');
  });

  it('does not grow with what is asked', async () => {
    const shop = await openShop();
    const { resource } = await offerAt(`${shop.url}/report?${'x'.repeat(5000)}`);
    expect(resource.url).toBe(`${shop.url}/report`);
  });
});
