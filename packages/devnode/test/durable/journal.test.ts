import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Journal } from '../../src/durable/journal.ts';
import { bytesSource, FrameReader, FrameWriter } from '../../src/state-file/frames.ts';
import { parseRecord, type StateRecord } from '../../src/state-file/record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function openedFile(flags: string): { readonly path: string; readonly file: number } {
  const path = join(folder, 'log');
  writeFileSync(path, FrameWriter.firstLine);
  return { path, file: openSync(path, flags) };
}

function completed(round: bigint): StateRecord {
  return { complete: { round, hash: new Uint8Array(32).fill(1) } };
}

function roundsIn(path: string): unknown[] {
  const reader = new FrameReader(bytesSource(path, readFileSync(path)));
  const rounds: unknown[] = [];
  for (let body = reader.next(); body !== undefined; body = reader.next()) {
    rounds.push(parseRecord(body).complete?.round);
  }
  return rounds;
}

describe('a journal', () => {
  test('has nothing to wait for until something is appended, and again when that is written', async () => {
    const { path, file } = openedFile('a');
    const journal = new Journal(file, new FrameWriter());
    expect(journal.kept()).toBeUndefined();
    journal.append(completed(1n));
    await journal.kept();
    expect(roundsIn(path)).toEqual([1n]);
    expect(journal.kept()).toBeUndefined();
    closeSync(file);
  });

  test('keeps what is appended in its order, however it comes and whoever waits', async () => {
    const { path, file } = openedFile('a');
    const journal = new Journal(file, new FrameWriter());
    const seen: boolean[] = [];
    const rounds = Array.from({ length: 200 }, (_, index) => BigInt(index));
    await Promise.all(
      rounds.map(async (round) => {
        await new Promise((resolve) => setTimeout(resolve, Number(round % 7n)));
        journal.append(completed(round));
        await journal.kept();
        seen.push(roundsIn(path).includes(round));
      }),
    );
    expect(seen).toEqual(rounds.map(() => true));
    expect(new Set(roundsIn(path))).toEqual(new Set(rounds));
    closeSync(file);
  });

  test('that can’t be written says so for good, and writes nothing more', async () => {
    const { path, file } = openedFile('r');
    const journal = new Journal(file, new FrameWriter());
    journal.append(completed(1n));
    await expect(journal.kept()).rejects.toMatchObject({ code: 'internal', status: 500 });
    await expect(journal.kept()).rejects.toMatchObject({ code: 'internal' });
    journal.append(completed(2n));
    await expect(journal.kept()).rejects.toMatchObject({ code: 'internal' });
    expect(roundsIn(path)).toEqual([]);
    closeSync(file);
  });
});
