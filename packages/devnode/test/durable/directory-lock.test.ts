import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { lockDirectory, socketFile } from '../../src/durable/directory-lock.ts';

const MODULE = join(import.meta.dirname, '../../src/durable/directory-lock.ts');

const directory = mkdtempSync(join(tmpdir(), 'devnode-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Takes a directory in another process, and kills that. */
async function takenAndKilled(): Promise<{ readonly kill: () => Promise<void> }> {
  const program = `
    const { lockDirectory, socketFile } = await import(${JSON.stringify(MODULE)});
    await lockDirectory(${JSON.stringify(directory)}, socketFile);
    setInterval(() => {}, 1000);
    console.log('taken');`;
  const args = ['--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    async kill() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

test.runIf(process.platform === 'linux')('a node that is too busy to answer holds its directory', async () => {
  const name = '\0avm402-devnode-that-is-busy';
  const program = `
    const server = (await import('node:net')).createServer();
    server.listen({ path: ${JSON.stringify(name)}, backlog: 1 }, () => {
      console.log('taken');
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 10);
    });`;
  const busy = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void busy.kill('SIGKILL'));
  await once(busy.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const waiting = Array.from({ length: 4 }, () => connect(name).on('error', () => undefined));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await expect(lockDirectory(directory, () => name)).rejects.toMatchObject({ code: 'directory_in_use' });
  for (const socket of waiting) socket.destroy();
});

test('where sockets are files, the one of a process that was killed is no obstacle, and that of a living one is', async () => {
  const other = await takenAndKilled();
  await expect(lockDirectory(directory, socketFile)).rejects.toMatchObject({ code: 'directory_in_use' });
  await other.kill();
  const lock = await lockDirectory(directory, socketFile);
  await expect(lockDirectory(directory, socketFile)).rejects.toMatchObject({ code: 'directory_in_use' });
  await lock.release();
  await (await lockDirectory(directory, socketFile)).release();
});
