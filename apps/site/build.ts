// Builds the site into dist; fails if a link leads nowhere.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { llmsText } from './llms.ts';
import { gatherPages, pages } from './pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
console.log('The reference is made from code …');
await gatherPages();
console.log('The site is built …');
await build(here);
writeFileSync(`${here}dist/llms.txt`, llmsText(pages));
