import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { nodeRecords, stateFile, type NodeState } from '../state-file/dump-node.ts';
import { FrameReader, FrameWriter } from '../state-file/frames.ts';
import { restoreNode, type LoadOptions, type Snapshot } from '../state-file/load-node.ts';
import { fileSource, syncName } from './files.ts';
import { Journal } from './journal.ts';

/** The contents of a log, and the number of bytes left by a write that was cut off. */
export interface Recovered {
  readonly node: NodeState;
  readonly droppedBytes: number;
}

/** The complete record of a chain: a state file to which each block is appended. */
export class ChainLog {
  readonly path: string;
  #file: number | undefined;
  #journal: Journal | undefined;

  constructor(path: string) {
    this.path = path;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** The journal to which records are appended. */
  get journal(): Journal | undefined {
    return this.#journal;
  }

  /**
   * Reads the log and continues at its end; removes the rest of a write that was cut off.
   * @throws DevnodeError `damaged_state_file`, `invalid_state_file`
   */
  recover(options: LoadOptions & { readonly snapshot: Snapshot | undefined }): Recovered {
    const file = openSync(this.path, 'a+');
    try {
      const source = fileSource(this.path, file);
      const reader = new FrameReader(source);
      const node = restoreNode(this.path, reader, options);
      if (reader.isCut) {
        ftruncateSync(file, reader.end);
        fsyncSync(file);
      }
      this.#goOn(file, reader.writer());
      return { node, droppedBytes: source.size - reader.end };
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Replaces the log by one that begins with a whole state. If interrupted, it leaves the old log or the new one. */
  rewrite(node: NodeState, beforeItCounts: () => void): void {
    const path = `${this.path}.new`;
    rmSync(path, { force: true });
    const file = openSync(path, 'a+');
    const writer = new FrameWriter();
    try {
      for (const piece of stateFile(nodeRecords(node), writer)) writeFileSync(file, piece);
      fsyncSync(file);
      beforeItCounts();
      renameSync(path, this.path);
      syncName(this.path);
    } catch (error) {
      closeSync(file);
      // Where the disk is full, the old log needs the room.
      rmSync(path, { force: true });
      throw error;
    }
    this.#goOn(file, writer);
  }

  async close(): Promise<void> {
    try {
      await this.#journal?.close();
    } finally {
      if (this.#file !== undefined) closeSync(this.#file);
    }
  }

  #goOn(file: number, writer: FrameWriter): void {
    const [before, journal] = [this.#file, this.#journal];
    this.#file = file;
    this.#journal = new Journal(file, writer);
    if (before === undefined || journal === undefined) return;
    void journal
      .close()
      .catch(() => {})
      .then(() => closeSync(before));
  }
}
