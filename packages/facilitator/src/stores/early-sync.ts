/** A file that can be brought to the disk: of a `FileHandle`, what is needed here. */
export interface SyncedFile {
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Writes after which the file is synced: a few megabytes, which take a few milliseconds. */
const WRITES_AT_ONCE = 64;

/**
 * Brings what was written to a file to the disk from time to time, on another thread, so that whoever must wait for all
 * of it in the end has little to wait for. It promises nothing: it only comes early.
 */
export class EarlySync {
  readonly #file: SyncedFile;
  #writes = 0;
  #syncing: Promise<void> | undefined;

  constructor(file: SyncedFile) {
    this.#file = file;
  }

  /** Call after each write. */
  wrote(): void {
    this.#writes += 1;
    if (this.#writes < WRITES_AT_ONCE || this.#syncing !== undefined) return;
    this.#writes = 0;
    this.#syncing = this.#sync();
  }

  /** Closes the file when no sync is under way any more. */
  async close(): Promise<void> {
    await this.#syncing;
    await this.#file.close();
  }

  async #sync(): Promise<void> {
    // The disk's errors are for the one who must wait for it: the system tells everybody who has the file open.
    await this.#file.datasync().catch(() => {});
    this.#syncing = undefined;
  }
}
