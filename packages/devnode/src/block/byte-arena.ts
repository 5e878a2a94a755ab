const CHUNK_BYTES = 1 << 20;

/** Keeps bytes for good, many in one piece of memory: allocated separately, each would take several times its size. */
export class ByteArena {
  #chunk = new Uint8Array(0);
  #used = 0;

  /** Makes a permanent copy. */
  keep(bytes: Uint8Array): Uint8Array {
    if (bytes.length > CHUNK_BYTES / 4) return Uint8Array.from(bytes);
    if (this.#used + bytes.length > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#used = 0;
    }
    const kept = this.#chunk.subarray(this.#used, this.#used + bytes.length);
    kept.set(bytes);
    this.#used += bytes.length;
    return kept;
  }
}
