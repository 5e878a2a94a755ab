import { X402Error } from '@avm402/core/errors';
import { type HandlerAnswer, joined } from '../../response/handler-answer.ts';
import {
  type HandlerOutcome,
  type HeldAnswer,
  type HoldOptions,
  isEventStream,
  TELLTALES,
  tooLarge,
  unholdableHead,
} from '../../response/held-answer.ts';
import type { Reply } from '../../response/reply.ts';
import type { StreamTaker } from '../../response/stream-taker.ts';
import { FetchOutlet } from './fetch-outlet.ts';
import { type AnswerTaker, type FetchSender, wholeAnswer } from './fetch-sender.ts';

/** Holds the `Response` of a handler, with all of its body, until it is paid for. */
export class HeldFetchAnswer implements HeldAnswer, AnswerTaker {
  readonly #responder: FetchSender;
  readonly #options: HoldOptions;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head = new Response();
  #isOver = false;
  #settle: (outcome: HandlerOutcome) => void = () => undefined;
  readonly outcome: Promise<HandlerOutcome>;

  constructor(responder: FetchSender, options: HoldOptions) {
    this.#responder = responder;
    this.#options = options;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get size(): number {
    return this.#size;
  }

  take(response: Response): void {
    if (this.#isOver) return drop(response);
    this.#head = wholeAnswer(response);
    const { headers, ok } = response;
    const [type, length] = [headers.get('content-type'), headers.get('content-length')];
    if (!ok) return this.#pass(this.#uncharged(response));
    if (this.#options.streams !== undefined && isEventStream(type))
      return this.#stream(response, this.#options.streams);
    const error = unholdableHead(type, length, this.#options);
    if (error !== undefined) return this.#refuse(response, error);
    this.#keepAll(response).catch((cause: unknown) => this.failed(cause));
  }

  failed(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle({ kind: 'passed' });
    this.#responder.fail(error);
  }

  answer(): HandlerAnswer {
    const { status, headers } = this.#head;
    return { status, headers: this.#responder.headers.under(headers).kept(), body: joined(this.#chunks) };
  }

  release(receipt: string): void {
    this.#isOver = true;
    this.#responder.sendWhole(this.#head, joined(this.#chunks), receipt);
  }

  replace(reply: Reply): void {
    this.#forget();
    if (this.#responder.hasBegun) this.#responder.destroy();
    else this.#responder.send(reply);
  }

  discard(): void {
    this.#forget();
    this.#responder.answerNobody();
  }

  #forget(): void {
    this.#isOver = true;
    this.#chunks.length = 0;
  }

  #pass(response: Response): void {
    this.#isOver = true;
    this.#settle({ kind: 'passed' });
    this.#responder.answer(response);
    this.#responder.close();
  }

  /**
   * What passes to the client of an answer that is not charged.
   * @throws TypeError, RangeError for an answer that can't be sent: `Response.error()`, or one whose body was read
   */
  #uncharged({ status, statusText, body, bodyUsed, headers, type }: Response): Response {
    if (type === 'error') throw new TypeError('the handler has answered Response.error()');
    if (bodyUsed) throw new TypeError('the handler has read the body of its answer');
    const told = this.#responder.headers.under(headers);
    told.removeHeaders(TELLTALES);
    return new Response(body, { status, statusText, headers: told.init });
  }

  #stream(response: Response, streams: StreamTaker): void {
    const outlet = new FetchOutlet(this.#responder, response, streams);
    streams.begin(outlet);
    this.#settle({ kind: 'streaming' });
    void outlet.pump();
  }

  #refuse(response: Response, error: X402Error): void {
    this.#forget();
    drop(response);
    this.#settle({ kind: 'unholdable', error });
  }

  async #keepAll(response: Response): Promise<void> {
    const source = response.body?.getReader();
    for (let part = await source?.read(); part !== undefined && !part.done; part = await source?.read()) {
      // Bytes are copied, because their maker may reuse the buffer.
      const chunk = Buffer.from(part.value);
      this.#size += chunk.length;
      const { maxBytes, room } = this.#options;
      const isTooLarge = this.#size > maxBytes;
      if (!this.#isOver && !isTooLarge && room.take(chunk.length)) this.#chunks.push(chunk);
      else {
        source?.cancel().catch(() => undefined);
        if (this.#isOver) return;
        this.#forget();
        const error = isTooLarge ? tooLarge(this.#options) : new X402Error('too_many_responses_held');
        return this.#settle({ kind: 'unholdable', error });
      }
    }
    this.#settle({ kind: 'ended' });
  }
}

function drop({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}
