import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@avm402/testkit/postgres';
import { expect, it, onTestFinished } from 'vitest';
import type { ChannelStore } from '../src/channels/record/channel-store.ts';
import { createPostgresChannelStore } from '../src/postgres.ts';
import { createSqliteChannelStore } from '../src/sqlite.ts';
import { channel } from './support/channels.ts';

const program = fileURLToPath(new URL('support/charging-process.ts', import.meta.url));

/** Lets a process charge, kills it after so many charges; resolves with the last one that it said is on record. */
async function chargeAndKill(place: string, charges: number): Promise<bigint> {
  const child = spawn(process.execPath, [program, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let last = 0n;
  try {
    for await (const line of createInterface(child.stdout)) {
      last = BigInt(line);
      if (last >= BigInt(charges)) child.kill('SIGKILL');
    }
    expect(await exit).toEqual([null, 'SIGKILL']);
    return last;
  } finally {
    child.kill('SIGKILL');
  }
}

/** All charges of each of the five channels are there, up to the one that was told last or the one after it. */
async function expectCharged(store: ChannelStore, told: bigint): Promise<void> {
  for (const number of [1, 2, 3, 4, 5]) {
    const { channelId } = channel(number);
    const known = await store.get(channelId);
    expect([told, told + 1n]).toContain(known?.charged);
    expect([known?.authorized, known?.version]).toEqual([known?.charged, Number(known?.charged) + 1]);
    const amounts = (await store.remembered(channelId)).map(({ amount }) => amount);
    expect(amounts).toEqual(Array.from({ length: Number(known?.charged) }, (_, index) => BigInt(index + 1)));
  }
}

it.each([1, 20, 200])('a process killed after %d charges has them all on record in SQLite', async (charges) => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'channels.sqlite');
  const told = await chargeAndKill(path, charges);
  const store = createSqliteChannelStore({ path });
  await expectCharged(store, told);
  store.close();
});

it('a process killed after 100 charges has them all on record in PostgreSQL', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await server.createDatabase();
  const told = await chargeAndKill(url, 100);
  const store = createPostgresChannelStore({ url });
  await expectCharged(store, told);
  await store.close();
}, 60_000);
