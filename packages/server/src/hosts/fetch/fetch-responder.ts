import { type BodyRoom, HeldBody } from '../../response/held-body.ts';
import type { HeldAnswer, HoldOptions } from '../../response/held-answer.ts';
import type { PaidStream, Responder } from '../../response/responder.ts';
import { type AnswerTaker, type Asked, FetchSender } from './fetch-sender.ts';
import { HeldFetchAnswer } from './held-fetch-answer.ts';
import { StreamedFetchAnswer } from './streamed-fetch-answer.ts';

/** What the host provides: the handler, and the headers that earlier middleware has set. */
export interface FetchHost {
  readonly handler: () => Promise<Response>;
  readonly headersBefore?: () => Headers;
}

/** Runs a handler that returns a `Response`, and answers with one. */
export class FetchResponder extends FetchSender implements Responder {
  readonly #host: FetchHost;
  #taker: AnswerTaker = { take: (response) => this.answer(response), failed: (error) => this.fail(error) };
  #isRunning = false;

  constructor(request: Asked, host: FetchHost) {
    super(request, host.headersBefore);
    this.#host = host;
  }

  /** Whether the handler is still at work. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  runHeld(options: HoldOptions): HeldAnswer {
    const held = new HeldFetchAnswer(this, options);
    this.#taker = held;
    this.run();
    return held;
  }

  runPaid(receipt: string, room: BodyRoom): PaidStream {
    const streamed = new StreamedFetchAnswer(this, receipt, new HeldBody(room));
    this.#taker = streamed;
    this.run();
    return streamed;
  }

  run(): void {
    this.#isRunning = true;
    this.#host
      .handler()
      .finally(() => {
        this.#isRunning = false;
      })
      .then((response) => this.#taker.take(response))
      .catch((error: unknown) => this.#taker.failed(error));
  }
}
