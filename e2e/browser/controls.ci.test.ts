import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevnode, type Devnode } from '@avm402/devnode';
import { launchChromium } from '@avm402/testkit/chromium';
import { type Served, served } from '../served.ts';

const REBOUND = 'evil.example';

let node: Devnode;
let browser: Browser;
let stranger: Served;
/** Every control, as method and path. */
let controls: readonly (readonly [string, string])[];

beforeAll(async () => {
  // Nothing but the routes' own guards stands in the way: the pages know the token, and algod's routes need none.
  node = await startDevnode({ port: 0, auth: false });
  browser = await launchChromium({ rebound: REBOUND });
  stranger = await served(express().get('/', (_request, response) => void response.send('<p>hello</p>')));
  const { paths } = (await (await fetch(`${node.url}/swagger.json`)).json()) as { paths: Record<string, object> };
  controls = Object.entries(paths)
    .filter(([path]) => path.startsWith('/dev/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) =>
          [
            method.toUpperCase(),
            `${path.replaceAll(/\{(?:address|by)\}/g, node.accounts.payer.address).replaceAll(/\{\w+\}/g, '1')}?amount=5&asset-id=10458941`,
          ] as const,
      ),
    );
}, 120_000);
afterAll(async () => {
  await browser.close();
  await stranger.stop();
  await node.stop();
});

async function open(url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

interface Asking {
  readonly method?: string;
  readonly mode?: 'no-cors';
  readonly headers?: Record<string, string>;
}

/** The answer that a page gets to a request: `unreadable` if the browser hides it from the page, whatever the node did. */
function ask(page: Page, url: string, init: Asking): Promise<string> {
  return page.evaluate(
    async ([target, options]) => {
      try {
        const response = await fetch(target, { ...options, signal: AbortSignal.timeout(2000) });
        return response.type === 'opaque' ? 'unreadable' : `status ${response.status}`;
      } catch {
        return 'unreadable';
      }
    },
    [url, init] as const,
  );
}

it('a page of another origin in Chromium can neither read nor trigger a control', async () => {
  const page = await open(stranger.url);
  // It reaches the node, as algod's interface lets every page.
  expect(await ask(page, `${node.url}/v2/status`, {})).toBe('status 200');
  const before = await node.state();
  const headers = { 'X-Algo-API-Token': node.token };
  for (const [method, path] of controls) {
    expect(await ask(page, node.url + path, { method, headers }), path).toBe('unreadable');
    const simple = method === 'DELETE' ? 'POST' : method;
    expect(await ask(page, node.url + path, { method: simple, mode: 'no-cors' }), path).toBe('unreadable');
  }
  expect(await node.state()).toEqual(before);
}, 120_000);

it('a page whose name was rebound to this machine can neither, though it is of the node’s own origin then', async () => {
  const url = `http://${REBOUND}:${new URL(node.url).port}`;
  const page = await open(`${url}/health`);
  expect(await ask(page, `${url}/v2/status`, {})).toBe('status 200');
  const before = await node.state();
  const headers = { 'X-Algo-API-Token': node.token };
  for (const [method, path] of controls)
    expect(await ask(page, url + path, { method, headers }), path).toBe('status 403');
  expect(await node.state()).toEqual(before);
}, 120_000);
