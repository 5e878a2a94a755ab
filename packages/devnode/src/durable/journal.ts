import { DevnodeError } from '../errors.ts';
import type { FrameWriter } from '../state-file/frames.ts';
import { encodeRecord, type StateRecord } from '../state-file/record.ts';
import { appendDurably } from './files.ts';

/**
 * Writes records to the end of a state file. While some are on their way to the disk, the next ones gather, and go
 * together.
 */
export class Journal {
  readonly #file: number;
  readonly #frames: FrameWriter;
  #gathered: Uint8Array[] = [];
  /** Ends when the records that are on their way are on the disk. */
  #writing: Promise<void> | undefined;
  /** Ends when those gathered are there, too. */
  #next: Promise<void> | undefined;

  /** `file` is open for appending, and ends where `frames` goes on. */
  constructor(file: number, frames: FrameWriter) {
    this.#file = file;
    this.#frames = frames;
  }

  append(record: StateRecord): void {
    this.#gathered.push(this.#frames.frame(encodeRecord(record)));
    if (this.#next !== undefined) return;
    this.#next = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    // Whoever needs it is told; nobody may.
    this.#next.catch(() => {});
  }

  /**
   * Resolves when everything appended so far is on the disk; undefined if it is already.
   * @throws DevnodeError `internal` once the file can't be written: nothing that came later is kept
   */
  kept(): Promise<void> | undefined {
    return this.#next ?? this.#writing;
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    const writing = this.#next;
    this.#writing = writing;
    this.#next = undefined;
    try {
      await appendDurably(this.#file, bytes);
    } catch (cause) {
      throw new DevnodeError('internal', 'the data directory can’t be written any more', { status: 500, cause });
    }
    if (this.#writing === writing) this.#writing = undefined;
  }
}
