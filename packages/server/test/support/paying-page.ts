import { gzipSync } from 'node:zlib';
import type { PayingPage } from '../../src/index.ts';

/** What the page's script says. */
export const script = Buffer.from('console.log("paid")');
/** A page with one script. */
export const page: PayingPage = {
  files: new Map([['main-1.js', { type: 'text/javascript; charset=utf-8', body: script, zipped: gzipSync(script) }]]),
  entry: 'main-1.js',
  style: '.till{color:red}',
  on: (networks) => ({ connect: ['https://algod.example'], settings: { networks } }),
};
