import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackChromium } from '@avm402/testkit/chromium';
import { expect, it, onTestFinished } from 'vitest';

it('tests that begin at once on a new machine all get a whole Chromium, and leave one', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'avm402-chromium-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const unpackAndStart = async () =>
    execFileSync(await unpackChromium(join(parent, 'chromium')), ['--version'], { encoding: 'utf8' });
  const [first, ...others] = await Promise.all([unpackAndStart(), unpackAndStart(), unpackAndStart()]);
  expect(first).toMatch(/\d+\.\d+\.\d+/);
  expect(others).toEqual([first, first]);
  expect(readdirSync(parent)).toEqual(['chromium']);
});
