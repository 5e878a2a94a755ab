import { type Chunk, joined } from './handler-answer.ts';
import type { HeldShare } from './held-bytes.ts';

/** Where a copy of a body may be kept. */
export interface CopyRoom {
  readonly maxBytes: number;
  readonly share: HeldShare;
}

/** Copies a body while it leaves. There is no copy if the body is too large. */
export class BodyCopy {
  readonly #room: CopyRoom;
  #chunks: Chunk[] | undefined = [];
  #size = 0;

  constructor(room: CopyRoom) {
    this.#room = room;
  }

  add(chunk: Chunk): void {
    if (this.#chunks === undefined) return;
    const bytes = Buffer.byteLength(chunk);
    this.#size += bytes;
    if (this.#size <= this.#room.maxBytes && this.#room.share.take(bytes)) this.#chunks.push(chunk);
    else this.#chunks = undefined;
  }

  bytes(): Buffer | undefined {
    return this.#chunks && joined(this.#chunks);
  }
}
