import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const SEQUENCES = 10_000 * inject('soakShare');
const PROCESSES = 2;
const program = fileURLToPath(new URL('thieves-process.ts', import.meta.url));

it(`${SEQUENCES} random sequences: no window of a mandate loses more than slots × cap, and none after the end`, async () => {
  const runs = Array.from({ length: PROCESSES }, async (_, seed) => {
    const args = [program, String(SEQUENCES / PROCESSES), String(seed + 2)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as { readonly refused: number; readonly fullWindows: number; readonly late: number };
  });
  const thefts = await Promise.all(runs);
  console.log(thefts);
  const total = (of: 'refused' | 'fullWindows' | 'late'): number => thefts.reduce((sum, one) => sum + one[of], 0);
  expect(total('refused')).toBeGreaterThan(SEQUENCES);
  expect(total('fullWindows')).toBeGreaterThan(SEQUENCES / 20);
  expect(total('late')).toBeGreaterThan(SEQUENCES / 50);
}, 3_600_000);
