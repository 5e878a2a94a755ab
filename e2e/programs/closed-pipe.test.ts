import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createSqliteSettlementStore } from '@avm402/facilitator';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'avm402-closed-pipe-'));
const store = join(folder, 'settlements.sqlite');
let node: Devnode;

beforeAll(async () => {
  const settlements = createSqliteSettlementStore({ path: store });
  await settlements.open();
  await settlements.close();
  node = await startDevnode({ port: 0 });
});

afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

it.each([
  ['cli/bin/avm402.js', ['--help']],
  ['teal/bin/avm402-teal.js', ['--help']],
  ['devnode/bin/avm402-devnode.js', ['export']],
  ['facilitator/bin/avm402-facilitator.js', ['settlements']],
])('the program packages/%s, whose reader has left as `head` does, ends without a word', async (file, parameters) => {
  const program = fileURLToPath(new URL(`../../packages/${file}`, import.meta.url));
  const exported = ['--algod', node.url, '--token', node.token, node.accounts.payer.address];
  const all = parameters[0] === 'export' ? [...parameters, ...exported] : parameters;
  const child = spawn(process.execPath, [program, ...all], {
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', SETTLEMENT_STORE: store },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [exited, stderr] = [once(child, 'exit'), text(child.stderr)];
  expect([await exited, await stderr]).toEqual([[0, null], '']);
});
