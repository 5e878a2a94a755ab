import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork } from '@avm402/core/network';
import type { JournalEntry, SentPayment } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';
import { openFileJournal, readFileJournal } from '@avm402/client/file-journal';
import { heapGrowth } from './memory.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-journal-'));
  file = join(folder, 'payments.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const payment = (txId: string): SentPayment => ({
  txId,
  groupTxIds: [txId],
  network: algorandNetwork(LOCALNET.genesisHash),
  asset: '10458941',
  amount: 2n ** 64n - 1n,
  payTo: 'M',
  payer: 'P',
  fee: 0n,
  firstValid: 1n,
  lastValid: 1001n,
  origin: 'https://api.example.com',
  method: 'GET',
  path: '/weather',
  sentAt: 5,
});

const story: JournalEntry[] = [
  { event: 'sent', payment: payment('A') },
  { event: 'answered', at: 6, txId: 'A', status: 200, settled: true },
  { event: 'confirmed', at: 7, txId: 'A', round: 12n },
  { event: 'sent', payment: { ...payment('B'), groupId: 'Zw==', groupTxIds: ['F', 'B'] } },
  { event: 'expired', at: 8, txId: 'B' },
];

async function written(entries: readonly JournalEntry[]): Promise<void> {
  const journal = await openFileJournal(file);
  for (const entry of entries) await journal.append(entry);
  await journal.close();
}

async function readBack(): Promise<readonly JournalEntry[]> {
  const journal = await openFileJournal(file);
  const entries = await journal.read();
  await journal.close();
  return entries;
}

describe('a journal in a file', () => {
  it('gives back what was appended, in order, to the next process', async () => {
    await written(story);
    expect(await readBack()).toEqual(story);
    await written(story.slice(0, 1));
    expect(await readBack()).toEqual([...story, ...story.slice(0, 1)]);
  });

  it('is JSON lines that only its owner can read, and nothing else is left beside it', async () => {
    await written(story);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines).toHaveLength(story.length + 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ v: 1, entry: { event: 'sent' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['payments.jsonl']);
  });

  it('that others could read is closed to them when it is opened, and so is its folder of payments', async () => {
    await written(story);
    const proofs = `${file}.proofs`;
    await mkdir(proofs);
    await chmod(file, 0o644);
    await chmod(proofs, 0o755);
    const journal = await openFileJournal(file);
    const modes = await Promise.all([file, proofs].map(async (path) => (await stat(path)).mode & 0o777));
    await journal.close();
    expect(modes).toEqual([0o600, 0o700]);
  });

  it('takes the time of any clock, also with fractions of a millisecond', async () => {
    const expired = { event: 'expired', at: 8.25, txId: 'B' } as const;
    await written([expired]);
    expect(await readBack()).toEqual([expired]);
  });

  it('reads what it wrote of a request with a method of any length', async () => {
    const sent = { event: 'sent', payment: { ...payment('A'), method: 'X'.repeat(3_000) } } as const;
    await written([sent]);
    expect(await readBack()).toEqual([sent]);
  });

  it('keeps the order of entries that are appended at the same time', async () => {
    const journal = await openFileJournal(file);
    const entries = Array.from(
      { length: 50 },
      (_, index) => ({ event: 'sent', payment: payment(`T${index}`) }) as const,
    );
    await Promise.all(entries.map((entry) => journal.append(entry)));
    await journal.close();
    expect(await readBack()).toEqual(entries);
  });

  it('cuts away a line that a crash has torn off, and goes on after the one before', async () => {
    await written(story.slice(0, 2));
    await appendFile(file, '{"v":1,"entry":{"event":"se');
    await written(story.slice(2, 3));
    expect(await readBack()).toEqual(story.slice(0, 3));
  });

  it.each([
    ['no JSON', 'hello'],
    ['another version', '{"v":2,"entry":{"event":"expired","at":1,"txId":"A"}}'],
    ['an unknown event', '{"v":1,"entry":{"event":"refunded","at":1,"txId":"A"}}'],
    [
      'an amount that is no number',
      JSON.stringify({
        v: 1,
        entry: {
          event: 'sent',
          payment: { ...payment('A'), amount: '1.5', fee: '0', firstValid: '1', lastValid: '2' },
        },
      }),
    ],
  ])('refuses a line in the middle that holds %s, and names it', async (_what, line) => {
    await written(story.slice(0, 1));
    await appendFile(file, `${line}\n`);
    await expect(openFileJournal(file)).rejects.toMatchObject({
      code: 'journal_corrupt',
      message: expect.stringContaining('line 2'),
    });
  });

  it('says so, and why, when the file can’t be had', async () => {
    await expect(openFileJournal(join(folder, 'missing', 'x.jsonl'))).rejects.toMatchObject({
      code: 'journal_unavailable',
      message: expect.stringContaining('ENOENT'),
    });
    await expect(openFileJournal(folder)).rejects.toMatchObject({ code: 'journal_unavailable' });
  });
});

describe('a journal that can’t be opened', () => {
  it('leaves no file open, and a device open to others', async () => {
    // A device is opened like a file but has no length to cut to.
    await symlink('/dev/null', file);
    const [before, { mode }] = [await readdir('/dev/fd'), await stat(file)];
    await expect(openFileJournal(file)).rejects.toMatchObject({ code: 'journal_unavailable' });
    expect(await readdir('/dev/fd')).toHaveLength(before.length);
    expect((await stat(file)).mode).toBe(mode);
  });
});

it.each([null, 'payments', 5_000])('options that are no object are refused with a code: %o', async (options) => {
  const message = expect.stringContaining('must be an object');
  await expect(openFileJournal(file, options as never)).rejects.toMatchObject({
    code: 'invalid_spend_options',
    message,
  });
  await expect(openFileChannelStore(file, options as never)).rejects.toMatchObject({
    code: 'invalid_spend_options',
    message,
  });
  await expect(readdir(folder)).resolves.toEqual([]);
});

describe('a journal of a process that pays for months', () => {
  const most = 10_000_000;
  /** Together a multiple of that. */
  const entries = 400;
  const long = (index: number): JournalEntry => ({
    event: 'sent',
    payment: { ...payment(`T${index}`), path: `/${index}`.padEnd(100_000, 'x') },
  });

  it('keeps in memory nothing of what it has written, and gives all of it back', async () => {
    const journal = await openFileJournal(file);
    await journal.append(long(0));
    const grown = await heapGrowth(async () => {
      for (let index = 1; index < entries; index++) await journal.append(long(index));
    });
    expect(grown).toBeLessThan(most);
    expect((await journal.read()).map((entry) => entry.event === 'sent' && entry.payment.txId)).toEqual(
      Array.from({ length: entries }, (_, index) => `T${index}`),
    );
    await journal.close();
  });

  it('keeps nothing of what it refuses because it can no longer be written', async () => {
    const journal = await openFileJournal(file);
    await journal.append(long(0));
    await journal.close();
    const grown = await heapGrowth(async () => {
      for (let index = 1; index < entries; index++) {
        await expect(journal.append(long(index))).rejects.toMatchObject({ code: 'journal_unavailable' });
      }
    });
    expect(grown).toBeLessThan(most);
    expect(await readBack()).toEqual([long(0)]);
  });

  it('gives back what is just being written, too', async () => {
    const journal = await openFileJournal(file);
    // Longer than it takes to open the file for reading.
    const huge: JournalEntry = { event: 'sent', payment: { ...payment('L'), path: 'x'.repeat(16_000_000) } };
    const writing = [...story, huge].map((entry) => journal.append(entry));
    expect(await journal.read()).toEqual([...story, huge]);
    await Promise.all(writing);
    await journal.close();
  });
});

describe('a journal whose disk fails for a while', () => {
  const entry = (txId: string): JournalEntry => ({ event: 'expired', at: 8, txId });
  /** Appends the entries from the arguments in a process whose files don't grow beyond 64 blocks, and prints what fails. */
  const program = `
    const { openFileJournal } = await import('@avm402/client/file-journal');
    const [file, ...txIds] = process.argv.slice(1);
    const journal = await openFileJournal(file);
    for (const txId of txIds)
      await journal.append({ event: 'expired', at: 8, txId }).catch(({ code }) => console.log(code));
    await journal.close();`;

  it('refuses what it can’t write, and goes on behind the last whole line', async () => {
    await written([entry('A')]);
    const node = [process.execPath, '--input-type=module', '--eval', program, file];
    const arguments_ = ['-c', 'ulimit -f 64; exec "$0" "$@"', ...node, 'B', 'X'.repeat(100_000), 'C', 'D'];
    const child = spawn('sh', arguments_, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    expect((await textOf(child.stdout)).trim()).toBe('journal_unavailable');
    expect(await readBack()).toEqual(['A', 'B', 'C', 'D'].map(entry));
  });
});

describe('two processes and one journal', () => {
  it('the second waits for the first, then gives up with the name of the holder', async () => {
    const first = await openFileJournal(file);
    await expect(openFileJournal(file, { lockTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'journal_locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    const second = openFileJournal(file, { lockTimeoutMs: 5_000 });
    await first.close();
    await (await second).close();
  });

  it('the second waits for the first, too, if a link or a slash more leads it to the journal, also to one that is not there yet', async () => {
    const linked = join(folder, 'linked.jsonl');
    await symlink(file, linked);
    for (const [one, other] of [
      [linked, file],
      [file, linked],
      [`${file}/`, file],
    ] as const) {
      const first = await openFileJournal(one);
      await expect(openFileJournal(other, { lockTimeoutMs: 100 })).rejects.toMatchObject({ code: 'journal_locked' });
      await first.close();
    }
  });

  it('the lock of a process that was killed is taken over', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1000)']);
    await once(child.stdout, 'data');
    await writeFile(`${file}.lock`, `${hostname()} ${child.pid} 1\n`);
    await expect(openFileJournal(file, { lockTimeoutMs: 100 })).rejects.toMatchObject({ code: 'journal_locked' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await openFileJournal(file, { lockTimeoutMs: 100 })).close();
  });

  it('so is the lock of a process that had the same number: the first one of a container always has', async () => {
    await writeFile(`${file}.lock`, `${hostname()} ${process.pid} 1\n`);
    await utimes(`${file}.lock`, new Date(), new Date(Date.now() - process.uptime() * 1000 - 60_000));
    await (await openFileJournal(file, { lockTimeoutMs: 100 })).close();
  });

  it('the lock of this process stays its own, however far the clock is set forward meanwhile', async () => {
    const first = await openFileJournal(file);
    const before = new Date(Date.now() - 24 * 60 * 60_000);
    await utimes(`${file}.lock`, before, before);
    await expect(openFileJournal(file, { lockTimeoutMs: 100 })).rejects.toMatchObject({ code: 'journal_locked' });
    await first.close();
  });

  it('the lock of a process in another container is not judged by a number that means another process here', async () => {
    const journal = await openFileJournal(file);
    const lock = await readFile(`${file}.lock`, 'utf8');
    await journal.close();
    const elsewhere = lock.replace(/@.*/, '@another-boot/pid:[1]');
    for (const text of [elsewhere, elsewhere.replace(String(process.pid), '999999')]) {
      await writeFile(`${file}.lock`, text);
      await utimes(`${file}.lock`, 0, 0);
      const signs = setInterval(() => void utimes(`${file}.lock`, new Date(), new Date()), 20);
      const opened = openFileJournal(file, { lockTimeoutMs: 100 }).finally(() => clearInterval(signs));
      await expect(opened).rejects.toMatchObject({ code: 'journal_locked' });
    }
  });

  it.each(['', 'torn', 'a lock of another format\n'])(
    'a lock that names no process (%j) is waited for without haste, and never taken over',
    async (text) => {
      await writeFile(`${file}.lock`, text);
      const before = process.cpuUsage();
      await expect(openFileJournal(file, { lockTimeoutMs: 400 })).rejects.toMatchObject({
        code: 'journal_locked',
        message: expect.stringContaining('names no process; if none uses the journal, remove it'),
      });
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(200);
      expect(await readFile(`${file}.lock`, 'utf8')).toBe(text);
    },
  );

  it('a journal is closed once, however often that is asked for', async () => {
    const first = await openFileJournal(file);
    await first.close();
    await first.close();
    const second = await openFileJournal(file);
    await first.close();
    await second.append({ event: 'expired', at: 1, txId: 'T' });
    await second.close();
  });

  it("a lock that is somebody else's by now is left alone, and told of", async () => {
    const journal = await openFileJournal(file);
    await writeFile(`${file}.lock`, 'some.other.machine 999999 1\n');
    await expect(journal.close()).rejects.toMatchObject({ code: 'journal_locked' });
    expect(await readFile(`${file}.lock`, 'utf8')).toBe('some.other.machine 999999 1\n');
  });

  it("the lock is the owner's alone to read, and so are the journal and its folder's other files", async () => {
    const umask = process.umask(0);
    const journal = await openFileJournal(file);
    await journal.append({ event: 'expired', at: 1, txId: 'T' });
    process.umask(umask);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toHaveLength(2);
    await journal.close();
  });

  it('a lock of another machine is never taken over', async () => {
    await writeFile(`${file}.lock`, 'some.other.machine 999999 1\n');
    await expect(openFileJournal(file, { lockTimeoutMs: 50 })).rejects.toMatchObject({ code: 'journal_locked' });
  });
});

it.each([undefined, 7, { file: 'payments.jsonl' }])('says that the path %j is none', async (path) => {
  for (const opening of [openFileJournal, readFileJournal, openFileChannelStore]) {
    await expect(opening(path as never)).rejects.toMatchObject({ code: 'journal_unavailable' });
  }
});
