import { X402Error } from '@avm402/core/errors';
import type { HeldShare } from './held-bytes.ts';
import type { HeaderValue } from './reply.ts';

/** Part of a body: bytes, or text in UTF-8. Text stays text because Node sends short texts together with the head. */
export type Chunk = Buffer | string;

/** Where a body, or its copy, may be held. */
export interface BodyRoom {
  readonly maxBytes: number;
  readonly share: HeldShare;
}

/** The parts of a body, held while there is room. If one does not fit, none is held. */
export class HeldBody {
  readonly #room: BodyRoom;
  #parts: Chunk[] = [];
  #size = 0;
  #refusal: X402Error | undefined;

  constructor(room: BodyRoom) {
    this.#room = room;
  }

  /** Bytes of all parts, held or not. */
  get size(): number {
    return this.#size;
  }

  get parts(): readonly Chunk[] {
    return this.#parts;
  }

  /** Whether all parts are held. */
  get isWhole(): boolean {
    return this.#refusal === undefined;
  }

  /** Holds a part. Returns why the body can't be held, if so: `response_not_settleable`, `too_many_responses_held`. */
  add(part: Chunk): X402Error | undefined {
    const bytes = Buffer.byteLength(part);
    this.#size += bytes;
    const { maxBytes, share } = this.#room;
    if (this.#size > maxBytes) this.#refusal ??= unholdable(`it is larger than the ${maxBytes} bytes that are held`);
    else if (this.isWhole && !share.take(bytes)) this.#refusal = new X402Error('too_many_responses_held');
    if (this.isWhole) this.#parts.push(part);
    else this.drop();
    return this.#refusal;
  }

  /**
   * Why the parts, once they have ended, are not the whole body; undefined if they may be. Leave the announced length out
   * beside an encoding: it may be that of a body that was decoded since.
   */
  cutOff(status: number, length: HeaderValue): X402Error | undefined {
    const announced = Number(length ?? 0);
    if (status === 204 || status === 205 || !(announced > this.#size)) return undefined;
    return new X402Error('response_not_settleable', {
      message: `the response is cut off: it ended after ${this.#size} of the ${announced} bytes that it announces`,
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }

  /** Holds the parts no longer. */
  drop(): void {
    this.#parts = [];
  }
}

/** The error for an answer that can't be held. */
export function unholdable(why: string): X402Error {
  return new X402Error('response_not_settleable', {
    message: `the response can't be held until it is paid: ${why}. Sell this route with extra: { paymentFlow: 'upfront' }`,
  });
}
