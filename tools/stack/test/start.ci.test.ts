import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const start = fileURLToPath(new URL('../src/start.ts', import.meta.url));

it('a start that is interrupted while it starts leaves no node behind', async () => {
  const child = spawn(process.execPath, ['--conditions=@avm402/source', start], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  let nodeUrl = '';
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^ +avm402-devnode +(\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    nodeUrl = url;
    child.kill('SIGTERM');
  }
  expect(await exit).toEqual([130, null]);
  await expect(fetch(nodeUrl)).rejects.toThrow('fetch failed');
});
