import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startDevnode } from '../../src/start-devnode.ts';

const BLOCKS = 100_000 * inject('soakShare');
/** Of processor time: other tests may run beside this one. */
const MAX_RESTART_MS = 3000;

test(`a node goes on with ${BLOCKS} blocks within three seconds`, { timeout: 300_000 }, async () => {
  const data = mkdtempSync(join(tmpdir(), 'devnode-restart-'));
  const first = await startDevnode({ port: 0, data });
  const { address } = first.accounts.merchant;
  const before = first.balance(address).microAlgos;
  for (let made = 0; made < BLOCKS; made++) await first.fund(address, 1n);
  await first.stop();
  const began = process.cpuUsage();
  const second = await startDevnode({ port: 0, data });
  const { user, system } = process.cpuUsage(began);
  const ms = Math.round((user + system) / 1000);
  console.log(JSON.stringify({ blocks: BLOCKS, ms }));
  expect([second.latestRound, second.balance(address).microAlgos - before]).toEqual([BigInt(BLOCKS), BigInt(BLOCKS)]);
  expect(ms).toBeLessThan(MAX_RESTART_MS);
  await second.stop();
  rmSync(data, { recursive: true });
});
