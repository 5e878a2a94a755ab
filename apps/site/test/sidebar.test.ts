import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sections } from '../.vitepress/sidebar.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const links = sections.flatMap(({ items }) => items.map(({ link }) => link));

it('every page of docs can be found from the sidebar', () => {
  const pages = globSync('docs/**/*.md', { cwd: root }).filter((page) => !page.startsWith('docs/decisions/0'));
  const listed = pages.filter((page) => links.includes(`/${page.replace(/(README)?\.md$/, '')}`));
  expect(pages.length).toBeGreaterThan(10);
  expect(listed).toEqual(pages);
});

it('the landing page shows the programs of docs/start.md', () => {
  const programs = (page: string): string[] => readFileSync(root + page, 'utf8').match(/^```ts\n.*?^```$/gms) ?? [];
  expect(programs('apps/site/index.md')).toEqual(programs('docs/start.md').slice(0, 2));
});

it('the sidebar leads to pages that are there, or are made from code', () => {
  const missing = links.filter((link) => {
    const page = link.endsWith('/') ? `${link}README.md` : `${link}.md`;
    return !link.startsWith('/docs/reference/') && !existsSync(root + page);
  });
  expect(missing).toEqual([]);
});
