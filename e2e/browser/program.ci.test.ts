import { createHash } from 'node:crypto';
import { launchChromium } from '@avm402/testkit/chromium';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Served } from '../served.ts';
import { servePage } from './served-page.ts';

let browser: Browser;
let served: Served;

beforeAll(async () => {
  browser = await launchChromium();
  served = await servePage(new URL('program-page.ts', import.meta.url));
}, 120_000);
afterAll(async () => {
  await browser.close();
  await served.stop();
});

it('a page in Chromium assembles, disassembles and runs programs, with hashes and curves', async () => {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => void failures.push(error.message));
  await page.goto(served.url);
  await page.waitForFunction(() => 'runProgram' in globalThis);
  const run = (source: string, ...args: string[]) =>
    page.evaluate(([text, given]) => globalThis.window.runProgram(text, given), [source, args] as const);

  const hash = createHash('sha256').update('open sesame').digest('hex');
  const lock = `#pragma version 8\narg_0\nsha256\npushbytes 0x${hash}\n==\n`;
  expect(await run(lock, 'open sesame')).toMatchObject({ passed: true, cost: 38, error: undefined });
  expect(await run(lock, 'open')).toMatchObject({ passed: false, error: undefined });
  expect(await run(lock)).toMatchObject({ passed: false, error: 'cannot load arg[0] of 0', places: [1] });
  expect((await run(lock)).disassembled).toContain('arg_0\nsha256\npushbytes 0x');

  // The generator of BN254's first group, added to itself and multiplied by two, is the same point.
  const point = `pushbytes 0x${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`;
  const curve = `#pragma version 10\n${point}; dup; ec_add BN254g1; ${point}; pushbytes 0x02; ec_scalar_mul BN254g1; ==`;
  expect(await run(curve)).toMatchObject({ passed: true, error: undefined });
  expect(failures).toEqual([]);
}, 120_000);
