import { deferred } from '@avm402/core/deferred';
import type { X402Error } from '@avm402/core/errors';
import {
  type HandlerAnswer,
  type HandlerOutcome,
  type HeldAnswer,
  type HoldOptions,
  isEventStream,
  REPRESENTATION_HEADERS,
  unholdableHead,
} from '../../response/held-answer.ts';
import { HeldBody } from '../../response/held-body.ts';
import type { Reply } from '../../response/reply.ts';
import type { StreamTaker } from '../../response/stream-taker.ts';
import { FetchOutlet } from './fetch-outlet.ts';
import { announcedLength, type AnswerTaker, type FetchSender, wholeAnswer } from './fetch-sender.ts';

/** Holds the `Response` of a handler, with all of its body, until it is paid for. */
export class HeldFetchAnswer implements HeldAnswer, AnswerTaker {
  readonly #responder: FetchSender;
  readonly #options: HoldOptions;
  readonly #body: HeldBody;
  #head = new Response();
  #isOver = false;
  readonly #outcome = deferred<HandlerOutcome>();
  readonly outcome = this.#outcome.promise;

  constructor(responder: FetchSender, options: HoldOptions) {
    this.#responder = responder;
    this.#options = options;
    this.#body = new HeldBody(options);
  }

  get size(): number {
    return this.#body.size;
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
    this.#outcome.resolve({ kind: 'passed' });
    this.#responder.fail(error);
  }

  get answer(): HandlerAnswer {
    const { status, headers } = this.#head;
    return { status, headers: this.#responder.headers.under(headers).kept(), body: this.#body.bytes };
  }

  release(receipt: string): void {
    this.#isOver = true;
    this.#responder.sendWhole(this.#head, this.#body.bytes, receipt);
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
    this.#body.drop();
  }

  #pass(response: Response): void {
    this.#isOver = true;
    this.#outcome.resolve({ kind: 'passed' });
    this.#responder.answer(response);
    this.#responder.close();
  }

  /**
   * The response that passes to the client where the answer is not charged.
   * @throws TypeError, RangeError for an answer that can't be sent: `Response.error()`, or one whose body was read
   */
  #uncharged({ status, statusText, body, bodyUsed, headers, type }: Response): Response {
    if (type === 'error') throw new TypeError('the handler has answered Response.error()');
    if (bodyUsed) throw new TypeError('the handler has read the body of its answer');
    const told = this.#responder.headers.under(headers);
    told.removeHeaders(REPRESENTATION_HEADERS);
    return new Response(body, { status, statusText, headers: told.init });
  }

  #stream(response: Response, streams: StreamTaker): void {
    const outlet = new FetchOutlet(this.#responder, response, streams);
    streams.begin(outlet);
    this.#outcome.resolve({ kind: 'streaming' });
    void outlet.pump();
  }

  #refuse(response: Response, error: X402Error): void {
    this.#forget();
    drop(response);
    this.#outcome.resolve({ kind: 'unholdable', error });
  }

  async #keepAll(response: Response): Promise<void> {
    const source = response.body?.getReader();
    for (let part = await source?.read(); part !== undefined && !part.done; part = await source?.read()) {
      // Bytes are copied, because their maker may reuse the buffer.
      const error = this.#isOver ? undefined : this.#body.add(Buffer.from(part.value));
      if (!this.#isOver && error === undefined) continue;
      source?.cancel().catch(() => undefined);
      if (error === undefined) return;
      this.#forget();
      return this.#outcome.resolve({ kind: 'unholdable', error });
    }
    this.#outcome.resolve(this.#ended(response));
  }

  #ended(response: Response): HandlerOutcome {
    const error = this.#body.cutOff(response.status, announcedLength(response));
    if (error === undefined) return { kind: 'ended' };
    this.#forget();
    return { kind: 'unholdable', error };
  }
}

function drop({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}
