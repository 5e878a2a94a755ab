import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { sections } from '../.vitepress/sidebar.ts';
import { publicModules } from '../api-reference.ts';

const site = fileURLToPath(new URL('../', import.meta.url));
const links = sections.flatMap(({ items }) => items.map(({ link }) => link));

// VitePress ends with failure at a link that leads nowhere.
beforeAll(() => void execFileSync(process.execPath, ['build.ts'], { cwd: site, stdio: 'pipe' }), 180_000);

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
