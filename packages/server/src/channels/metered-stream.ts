import type { ServerResponse } from 'node:http';
import type { OriginalMethods, WriteArguments } from '../response/handler-writes.ts';
import type { StreamTaker } from '../response/held-response.ts';
import type { Channel } from './channel.ts';
import type { AdmittedRequest } from './live-channel.ts';
import type { Meter } from './meter.ts';

/** Bytes that wait for their charge; a handler that writes on meanwhile is asked to pause. */
const MUCH_BYTES = 64 * 1024;

export interface MeteredStreamOptions {
  readonly admitted: AdmittedRequest;
  readonly meter: Meter;
  /** Adds the receipt to the head; called once, before it leaves. */
  readonly stamp: (channel: Channel) => void;
}

/** How a stream ended: with its last byte, because its client left, or because it could not be charged. */
export type StreamEnd = { readonly kind: 'ended' | 'left' } | { readonly kind: 'failed'; readonly error: unknown };

/** An event stream that is charged while it runs: what the handler writes leaves once it is on record as charged. */
export class MeteredStream implements StreamTaker {
  readonly #response: ServerResponse;
  readonly #options: MeteredStreamOptions;
  #original: OriginalMethods | undefined;
  #waiting: WriteArguments[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isEnded = false;
  #isOver = false;
  #isLeaving = false;
  #hasHead = false;
  #over: (end: StreamEnd) => void = () => undefined;
  /** Resolves when nothing more of it will leave. */
  readonly over: Promise<StreamEnd>;

  constructor(response: ServerResponse, options: MeteredStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.over = new Promise((resolve) => {
      this.#over = resolve;
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  begin(original: OriginalMethods): void {
    this.#original = original;
    this.#options.meter.streams(() => this.end({}));
    this.#response.once('close', () => this.#left());
  }

  write(written: WriteArguments): boolean {
    if (this.#isEnded || this.#isOver) return false;
    this.#waiting.push(written);
    this.#waitingBytes += written.chunk === undefined ? 0 : Buffer.byteLength(written.chunk);
    void this.#leave();
    this.#isPaused ||= this.#waitingBytes > MUCH_BYTES;
    return !this.#isPaused;
  }

  end(written: WriteArguments): void {
    if (this.#isEnded || this.#isOver) return;
    if (written.chunk !== undefined) this.#waiting.push(written);
    this.#isEnded = true;
    void this.#leave();
  }

  async #leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    try {
      while (!this.#isOver && (this.#waiting.length > 0 || this.#isEnded)) await this.#chargeAndRelease();
    } catch (error) {
      this.#isOver = true;
      if (!this.#isEnded) this.#options.admitted.release();
      this.#over({ kind: 'failed', error });
    } finally {
      this.#isLeaving = false;
    }
  }

  async #chargeAndRelease(): Promise<void> {
    const { admitted } = this.#options;
    const leaving = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const isLast = this.#isEnded;
    const channel = await this.#charge(isLast);
    if (this.#isOver) return isLast ? undefined : admitted.release();
    if (channel !== undefined && !this.#hasHead) this.#writeHead(channel);
    for (const { chunk, callback } of leaving) {
      if (chunk !== undefined) this.#original?.call('write', callback ? [chunk, callback] : [chunk]);
    }
    if (isLast) this.#finish();
    else this.#resume();
  }

  /** Puts on record what was charged since; nothing is written where nothing was, but for the head. */
  #charge(isLast: boolean): Promise<Channel> | undefined {
    const { admitted, meter } = this.#options;
    const cost = meter.take();
    if (isLast) return admitted.end(cost);
    return cost > 0n || !this.#hasHead ? admitted.charge(cost) : undefined;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#response.emit('drain');
  }

  #writeHead(channel: Channel): void {
    this.#hasHead = true;
    this.#options.stamp(channel);
    this.#original?.call('writeHead', [this.#response.statusCode]);
  }

  #finish(): void {
    this.#isOver = true;
    this.#original?.call('end', []);
    this.#over({ kind: 'ended' });
  }

  /** What the client has got is charged; what it has not got is not. */
  #left(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isLeaving) this.#options.admitted.release();
    this.#over({ kind: 'left' });
  }
}
