import type { Responder } from '../response/responder.ts';
import type { StreamOutlet, StreamPart, StreamTaker } from '../response/stream-taker.ts';
import type { Channel } from './channel.ts';
import type { AdmittedRequest } from './live-channel.ts';
import type { Meter } from '../run/charge.ts';

/** Bytes that wait for their charge; a handler that writes on meanwhile is asked to pause. */
const MUCH_BYTES = 64 * 1024;

export interface MeteredStreamOptions {
  readonly admitted: AdmittedRequest;
  readonly meter: Meter;
  /** The receipt in the head; asked for once, before it leaves. */
  readonly receipt: (channel: Channel) => string;
}

/** How a stream ended: with its last byte, because its client left, or because it could not be charged. */
export type StreamEnd = { readonly kind: 'ended' | 'left' } | { readonly kind: 'failed'; readonly error: unknown };

/** An event stream that is charged while it runs: what the handler writes leaves once it is on record as charged. */
export class MeteredStream implements StreamTaker {
  readonly #responder: Responder;
  readonly #options: MeteredStreamOptions;
  #outlet: StreamOutlet | undefined;
  #waiting: StreamPart[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isEnded = false;
  #isOver = false;
  #isLeaving = false;
  #hasHead = false;
  #over: (end: StreamEnd) => void = () => undefined;
  /** Resolves when nothing more of it will leave. */
  readonly over: Promise<StreamEnd>;

  constructor(responder: Responder, options: MeteredStreamOptions) {
    this.#responder = responder;
    this.#options = options;
    this.over = new Promise((resolve) => {
      this.#over = resolve;
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  begin(outlet: StreamOutlet): void {
    this.#outlet = outlet;
    this.#options.meter.streams(() => outlet.cutOff(() => this.end({})));
    this.#responder.onClose(() => this.#left());
  }

  write(part: StreamPart): boolean {
    if (this.#isEnded || this.#isOver) return false;
    this.#waiting.push(part);
    this.#waitingBytes += part.chunk === undefined ? 0 : Buffer.byteLength(part.chunk);
    void this.#leave();
    this.#isPaused ||= this.#waitingBytes > MUCH_BYTES;
    return !this.#isPaused;
  }

  end(part: StreamPart): void {
    if (this.#isEnded || this.#isOver) return;
    if (part.chunk !== undefined) this.#waiting.push(part);
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
      this.#options.admitted.release();
      this.#over({ kind: 'failed', error });
    } finally {
      this.#isLeaving = false;
    }
  }

  async #chargeAndRelease(): Promise<void> {
    const leaving = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const isLast = this.#isEnded;
    const channel = await this.#charge(isLast);
    if (this.#isOver) return;
    if (channel !== undefined && !this.#hasHead) this.#writeHead(channel);
    for (const part of leaving) {
      if (part.chunk !== undefined) this.#outlet?.write(part);
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
    this.#outlet?.drain();
  }

  #writeHead(channel: Channel): void {
    this.#hasHead = true;
    this.#outlet?.head(this.#options.receipt(channel));
  }

  #finish(): void {
    this.#isOver = true;
    this.#outlet?.end();
    this.#over({ kind: 'ended' });
  }

  /** What the client has got is charged; what it has not got is not. */
  #left(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.admitted.release();
    this.#over({ kind: 'left' });
  }
}
