import { DevnodeError, shuttingDown } from '../errors.ts';
import type { FrameWriter } from '../state-file/frames.ts';
import { encodeRecord, type StateRecord } from '../state-file/record.ts';
import { appendDurably } from './files.ts';

/**
 * Writes records to the end of a state file. While some are being written to the disk, the next ones gather, and are
 * then written together.
 */
export class Journal {
  readonly #file: number;
  readonly #frames: FrameWriter;
  #gathered: Uint8Array[] = [];
  /** Ends when the records being written are on the disk. */
  #writing: Promise<void> | undefined;
  /** Ends when the gathered records are also on the disk. */
  #next: Promise<void> | undefined;
  /** Rejects once nothing more is kept. */
  #failed: Promise<never> | undefined;

  /** `file` is open for appending, and ends where `frames` continues. */
  constructor(file: number, frames: FrameWriter) {
    this.#file = file;
    this.#frames = frames;
  }

  append(record: StateRecord): void {
    if (this.#failed !== undefined) return;
    this.#gathered.push(this.#frames.frame(encodeRecord(record)));
    if (this.#next !== undefined) return;
    this.#next = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    // Callers of `kept` get the error, but there may be none.
    this.#next.catch(() => {});
  }

  /**
   * Resolves when everything appended so far is on the disk; undefined if it already is.
   * @throws DevnodeError `internal` once the file can't be written; nothing appended later is kept
   */
  kept(): Promise<void> | undefined {
    return this.#failed ?? this.#next ?? this.#writing;
  }

  /** Keeps nothing more, because the file can't be written or no longer tells what happens. */
  fail(cause: unknown): DevnodeError {
    const error = new DevnodeError('internal', 'the data directory can’t be written any more', { status: 500, cause });
    this.#refuse(error);
    return error;
  }

  /**
   * Writes what has been appended. Nothing is written after it, because the file's number may then be another file's.
   * @throws DevnodeError as `kept` does
   */
  async close(): Promise<void> {
    const [kept, written] = [this.kept(), this.#next ?? this.#writing];
    this.#refuse(shuttingDown());
    await written?.catch(() => {});
    await kept;
  }

  #refuse(reason: DevnodeError): void {
    this.#failed = Promise.reject(reason);
    this.#failed.catch(() => {});
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
      throw this.fail(cause);
    }
    if (this.#writing === writing) this.#writing = undefined;
  }
}
