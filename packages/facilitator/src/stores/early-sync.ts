/** The part of a `FileHandle` that syncing needs. */
export interface SyncedFile {
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Writes between two syncs: a few megabytes, which take a few milliseconds. */
const WRITES_AT_ONCE = 64;

/**
 * Syncs a file to the disk from time to time, on another thread, so that a later sync of the whole file has little left
 * to do. It guarantees nothing; it only does the work early.
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

  /** Closes the file after a sync that is under way. */
  async close(): Promise<void> {
    await this.#syncing;
    await this.#file.close();
  }

  async #sync(): Promise<void> {
    // Errors are left to the sync that must succeed: the system reports them through every handle of the file.
    await this.#file.datasync().catch(() => {});
    this.#syncing = undefined;
  }
}
