import { markPaid } from '../../response/reply.ts';
import type { StreamOutlet, StreamPart, StreamTaker } from '../../response/stream-taker.ts';
import type { FetchSender } from './fetch-sender.ts';

/**
 * Parts that a handler wrote before it was cut off may still be on their way here. These bound how many are still taken,
 * and how long the handler's own end is waited for.
 */
const PARTS_AFTER_CUT = 16;
const CUT_GRACE_MS = 1_000;

/** Carries an event stream from a handler's `Response` to the one that its client gets. */
export class FetchOutlet implements StreamOutlet {
  readonly #responder: FetchSender;
  readonly #response: Response;
  readonly #taker: StreamTaker;
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  #partsLeft = Infinity;
  #cutTimer: ReturnType<typeof setTimeout> | undefined;
  #wake: () => void = () => undefined;
  #isPaused = false;
  #isEnded = false;

  constructor(responder: FetchSender, response: Response, taker: StreamTaker) {
    this.#responder = responder;
    this.#response = response;
    this.#taker = taker;
    this.#source = response.body?.getReader();
    responder.onClose(() => this.#stop());
  }

  /** Takes what the handler writes part by part, as fast as it is charged and read. */
  async pump(): Promise<void> {
    try {
      while (!this.#taker.isEnded && !this.#responder.isClosed) {
        const part = await this.#source?.read();
        if (part === undefined || part.done || this.#partsLeft-- <= 0) break;
        this.#isPaused = !this.#taker.write({ chunk: Buffer.from(part.value) });
        while (this.#isPaused && !this.#responder.isClosed && !this.#taker.isEnded) await this.#woken();
      }
      this.#taker.end({});
    } catch {
      this.#responder.destroy();
    }
  }

  head(receipt: string): void {
    const { status, statusText, headers } = this.#response;
    const all = this.#responder.headers.under(headers);
    all.removeHeaders(['content-length']);
    markPaid(all, receipt);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#sink = controller;
      },
      pull: () => this.drain(),
      cancel: () => this.#responder.close(),
    });
    this.#responder.answer(new Response(body, { status, statusText, headers: all.init }));
  }

  write({ chunk, callback }: StreamPart): void {
    if (chunk !== undefined) this.#sink?.enqueue(Buffer.from(chunk));
    callback?.();
  }

  get isFull(): boolean {
    return (this.#sink?.desiredSize ?? 1) <= 0;
  }

  end(): void {
    this.#isEnded = true;
    this.#sink?.close();
    this.#responder.close();
  }

  cutOff(end: () => void): void {
    if (this.#cutTimer !== undefined) return;
    this.#partsLeft = PARTS_AFTER_CUT;
    this.#cutTimer = setTimeout(end, CUT_GRACE_MS);
  }

  drain(): void {
    this.#isPaused = false;
    this.#wake();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Takes nothing more. A client that is still there sees that the answer is incomplete. */
  #stop(): void {
    if (!this.#isEnded) this.#sink?.error(new Error('the answer was broken off'));
    clearTimeout(this.#cutTimer);
    this.#wake();
    this.#source?.cancel().catch(() => undefined);
  }
}
