import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { loadSnapshot, type Snapshot } from '../state-file/load-node.ts';
import { appendDurably, fileSource, syncName } from './files.ts';

/** The state at one of a log's blocks, which saves a restart the changes up to that block. */
export class SnapshotFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** @throws DevnodeError `damaged_state_file`, `invalid_state_file` */
  read(): Snapshot {
    const file = openSync(this.path, 'r');
    try {
      return loadSnapshot(fileSource(this.path, file));
    } finally {
      closeSync(file);
    }
  }

  /** Replaces the snapshot, unless the new one is stale by the time that it is written. */
  async replace(bytes: Uint8Array, isStale: () => boolean): Promise<void> {
    const path = `${this.path}.new`;
    rmSync(path, { force: true });
    try {
      await writeDurably(path, bytes);
      if (isStale()) return;
      renameSync(path, this.path);
      syncName(this.path);
    } finally {
      // Where the disk is full, the log needs the room of one that did not come into place.
      rmSync(path, { force: true });
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
    syncName(this.path);
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = openSync(path, 'a');
  try {
    await appendDurably(file, bytes);
  } finally {
    closeSync(file);
  }
}
