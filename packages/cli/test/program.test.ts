import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { accounts } from '../../client/test/chain.ts';
import { asking, type Answer } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';

const program = fileURLToPath(new URL('../bin/avm402.js', import.meta.url));
const stage = useStage();
const environment = (): Record<string, string> => ({
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  AVM_PRIVATE_KEY: accounts.payer.privateKey,
  ALGOD_URL: stage.chain.url,
  ALGOD_TOKEN: stage.chain.token,
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'the program that is interrupted (%s) while it pays names the payment',
  async (signal) => {
    let tell = (): void => {};
    const asked = new Promise<void>((resolve) => (tell = resolve));
    const seller = await stage.sellerThat(({ payment }) => {
      if (!payment) return asking();
      tell();
      return new Promise<Answer>(() => {});
    });
    const child = spawn(process.execPath, [program, 'pay', seller.url], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [exited, stderr] = [once(child, 'exit'), text(child.stderr)];
    await asked;
    child.kill(signal);
    expect(await exited).toEqual([5, null]);
    expect(await stderr).toContain(`outcome of ${seller.payments()[0]} not yet known; do not pay again`);
  },
);

it('a command that pays nothing ends at the first interruption, also while its node does not answer', async () => {
  const node = await stage.sellerThat(() => new Promise<Answer>(() => {}));
  const child = spawn(process.execPath, [program, 'balance'], {
    env: { ...environment(), ALGOD_URL: node.url },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await expect.poll(() => node.seen.length).toBe(1);
  child.kill('SIGINT');
  expect(await exited).toEqual([null, 'SIGINT']);
});

it('the program sends what comes from stdin byte for byte', async () => {
  const seller = await stage.sellerThat(stage.honest);
  const args = [program, 'pay', seller.url, '-d', '@-'];
  const child = spawn(process.execPath, args, { env: environment(), stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(seller.seen.map(({ headers }) => headers['content-length'])).toEqual(['256', '256']);
});

it('the program that can’t write what it paid for, as on a full disk, says so, and not that nothing was paid', async () => {
  const seller = await stage.sellerThat(stage.honest);
  await using unwritable = await open(program, 'r');
  const child = spawn(process.execPath, [program, 'pay', seller.url], {
    env: environment(),
    stdio: ['ignore', unwritable.fd, 'pipe'],
  });
  const [exited, stderr] = [once(child, 'exit'), text(child.stderr ?? Readable.from([]))];
  expect(await exited).toEqual([6, null]);
  expect(await stderr).toMatch(/^the output could not be written: .+\n$/m);
  expect(seller.payments()).toHaveLength(1);
});

it('the program says so, too, where a part of what it paid for was written, as before the disk is full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-full-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const seller = await stage.sellerThat(async (...asked) => ({
    ...(await stage.honest(...asked)),
    body: 'x'.repeat(100_000),
  }));
  // No file may get longer than some kilobytes.
  const limited = `ulimit -f 8 && exec "$0" "$@" > '${folder}/answer'`;
  const child = spawn('/bin/sh', ['-c', limited, process.execPath, program, 'pay', seller.url], {
    env: { ...environment(), NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [exited, stderr] = [once(child, 'exit'), text(child.stderr)];
  expect(await exited).toEqual([6, null]);
  expect(await stderr).toMatch(/^the output could not be written: .+\n$/m);
  expect((await stat(join(folder, 'answer'))).size).toBeGreaterThan(0);
});

it('a mandate whose file can’t be written whole, as on a full disk, leaves none, so that it can be made once there is room', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-full-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const receivers = join(folder, 'receivers');
  await writeFile(
    receivers,
    Object.values(accounts)
      .map(({ address }) => address)
      .join('\n'),
  );
  const args = ['mandate', 'create', '--per-payment', '$0.01', '--funds', '$1', '--receivers', receivers];
  const child = spawn('/bin/sh', ['-c', 'ulimit -f 1 && exec "$0" "$@"', process.execPath, program, ...args], {
    cwd: folder,
    env: { ...environment(), NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [exited, stderr] = [once(child, 'exit'), text(child.stderr)];
  expect(await exited).toEqual([2, null]);
  expect(await stderr).toContain("can't write mandate.json: EFBIG");
  expect(await readdir(folder)).toEqual(['receivers']);
});

it('the program pays, and hands out what it paid for, while its words can’t be written', async () => {
  const seller = await stage.sellerThat(stage.honest);
  await using unwritable = await open(program, 'r');
  const child = spawn(process.execPath, [program, 'pay', seller.url], {
    env: environment(),
    stdio: ['ignore', 'pipe', unwritable.fd],
  });
  const [exited, stdout] = [once(child, 'exit'), text(child.stdout ?? Readable.from([]))];
  expect(await exited).toEqual([0, null]);
  expect(await stdout).not.toBe('');
  expect(seller.payments()).toHaveLength(1);
});
