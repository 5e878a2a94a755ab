import { defineConfig } from 'vitepress';
import { files } from '../pages.ts';
import { colouredOnce } from './coloured-once.ts';
import { diagrams } from './diagrams.ts';
import { sections } from './sidebar.ts';
import { tables } from './tables.ts';

export default defineConfig({
  title: 'avm402',
  description: 'x402 payments on Algorand: sell and buy API calls, one request at a time',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  rewrites: {
    'packages/:name/README.md': 'packages/:name/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
    'docs/reference/api/README.md': 'docs/reference/api/index.md',
  },
  ignoreDeadLinks: files.map((file) => new RegExp(`/${file.replaceAll('.', String.raw`\.`)}(/|$)`)),
  markdown: {
    languageAlias: { teal: 'asm' },
    config: (markdown) => [colouredOnce, diagrams, tables].forEach((extend) => extend(markdown)),
  },
  // Mermaid as its makers bundle it. Nothing is shaken out, because to look for what is unused takes a third of a build.
  vite: {
    resolve: { alias: { mermaid: 'mermaid/dist/mermaid.esm.min.mjs' } },
    build: { rollupOptions: { treeshake: false } },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [{ text: 'Start', link: '/docs/start' }],
    sidebar: sections.map(({ text, items }) => ({ text, items: [...items] })),
  },
});
