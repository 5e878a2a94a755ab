const FIRST_CHUNK_BYTES = 1 << 14;
const MAX_CHUNK_BYTES = 1 << 20;

/** Keeps bytes for good, many in one piece of memory: allocated separately, each would take several times its size. */
export class ByteArena {
  #chunk = new Uint8Array(0);
  #used = 0;

  /** Makes a permanent copy. */
  keep(bytes: Uint8Array): Uint8Array {
    if (bytes.length > MAX_CHUNK_BYTES / 4) return Uint8Array.from(bytes);
    if (this.#used + bytes.length > this.#chunk.length) {
      // Each is twice as large as the last one, so that a short chain takes little memory.
      const size = Math.max(FIRST_CHUNK_BYTES, 2 * this.#chunk.length, 4 * bytes.length);
      this.#chunk = new Uint8Array(Math.min(size, MAX_CHUNK_BYTES));
      this.#used = 0;
    }
    const kept = this.#chunk.subarray(this.#used, this.#used + bytes.length);
    kept.set(bytes);
    this.#used += bytes.length;
    return kept;
  }
}
