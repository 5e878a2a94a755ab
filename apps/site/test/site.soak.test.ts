import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@avm402/testkit/chromium';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sections } from '../.vitepress/sidebar.ts';
import { publicModules } from '../api-reference.ts';

const site = fileURLToPath(new URL('../', import.meta.url));
const links = sections.flatMap(({ items }) => items.map(({ link }) => link));

// VitePress fails if a link leads nowhere.
beforeAll(() => void execFileSync(process.execPath, ['build.ts'], { cwd: site, stdio: 'pipe' }), 300_000);

let browser: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

it('every page of the sidebar is built', () => {
  const missing = links.filter((link) => !existsSync(`${site}dist${link.endsWith('/') ? `${link}index` : link}.html`));
  expect(missing).toEqual([]);
});

it('each public module has a page made from its doc comments', () => {
  const modules = [...publicModules().keys()];
  expect(modules.length).toBeGreaterThan(40);
  expect(modules.filter((name) => !existsSync(`${site}dist/docs/reference/api/${name}.html`))).toEqual([]);
  expect(readFileSync(`${site}dist/docs/reference/api/@avm402/client.html`, 'utf8')).toContain('createPayingFetch');
});

it('llms.txt lists every page of the sidebar', () => {
  const text = readFileSync(`${site}dist/llms.txt`, 'utf8');
  expect(links.filter((link) => !text.includes(`](${link})`))).toEqual([]);
});

const ORIGIN = 'http://site.example';
/** Allows the page's own scripts and styles, and everything inline. */
const POLICY = "default-src 'self' 'unsafe-inline'; img-src 'self' data:";

it.each(['/ARCHITECTURE', '/docs/settlement'])(
  'a browser draws the pictures of %s, and asks nobody else for anything',
  async (page) => {
    const [elsewhere, complaints]: [string[], string[]] = [[], []];
    const tab = await browser.newPage();
    tab.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    await tab.route('**/*', (route) => {
      const { origin, pathname } = new URL(route.request().url());
      if (origin !== ORIGIN) elsewhere.push(origin);
      const path = `${site}dist${extname(pathname) === '' ? `${pathname}.html` : pathname}`;
      return route.fulfill({ path, headers: { 'Content-Security-Policy': POLICY } });
    });
    await tab.goto(`${ORIGIN}${page}`);
    const texts = readFileSync(`${site}pages${page}.md`, 'utf8').match(/^```mermaid$/gm) ?? [];
    expect(texts.length).toBeGreaterThan(0);
    await tab.waitForFunction((count) => document.querySelectorAll('.diagram svg').length === count, texts.length);
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    await tab.close();
  },
);

it.each([
  '/docs/facilitator/settings',
  '/docs/errors',
  '/docs/client',
  '/docs/scaling',
  '/ARCHITECTURE',
  '/bench/RESULTS',
])('the tables of %s fit a phone', async (page) => {
  const tab = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await tab.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ path: `${site}dist${extname(pathname) === '' ? `${pathname}.html` : pathname}` });
  });
  await tab.goto(`${ORIGIN}${page}`);
  const tables = tab.locator('.vp-doc table');
  expect(await tables.count()).toBeGreaterThan(0);
  expect(await tables.evaluateAll((all) => all.filter((table) => table.scrollWidth > table.clientWidth).length)).toBe(
    0,
  );
  await tab.close();
});
