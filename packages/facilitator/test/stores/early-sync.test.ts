import { describe, expect, it } from 'vitest';
import { EarlySync, type SyncedFile } from '../../src/stores/early-sync.ts';

/** A file whose syncs end when they are told to. */
class SlowFile implements SyncedFile {
  syncs = 0;
  isClosed = false;
  end: (error?: Error) => void = () => {};

  datasync(): Promise<void> {
    this.syncs += 1;
    return new Promise((resolve, reject) => {
      this.end = (error) => (error ? reject(error) : resolve());
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const write = (sync: EarlySync, times: number): void => {
  for (let written = 0; written < times; written++) sync.wrote();
};
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('EarlySync', () => {
  it('syncs after every 64 writes, one sync at a time', async () => {
    const file = new SlowFile();
    const sync = new EarlySync(file);
    write(sync, 63);
    expect(file.syncs).toBe(0);
    write(sync, 1);
    expect(file.syncs).toBe(1);
    write(sync, 200);
    expect(file.syncs).toBe(1);
    file.end();
    await turn();
    write(sync, 1);
    expect(file.syncs).toBe(2);
  });

  it('goes on after a sync that failed', async () => {
    const file = new SlowFile();
    const sync = new EarlySync(file);
    write(sync, 64);
    file.end(new Error('EIO'));
    await turn();
    write(sync, 64);
    expect(file.syncs).toBe(2);
  });

  it('closes the file only when the sync under way has ended', async () => {
    const file = new SlowFile();
    const sync = new EarlySync(file);
    write(sync, 64);
    const closed = sync.close();
    await turn();
    expect(file.isClosed).toBe(false);
    file.end();
    await closed;
    expect(file.isClosed).toBe(true);
  });
});
