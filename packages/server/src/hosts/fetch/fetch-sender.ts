import { deferred } from '@avm402/core/deferred';
import { X402Error } from '@avm402/core/errors';
import { bodyOf, DeliveredBody } from './delivered-body.ts';
import { FetchHeaders } from './fetch-headers.ts';
import type { HandlerAnswer } from '../../response/held-answer.ts';
import { type HeaderValue, markPaid, type Reply } from '../../response/reply.ts';

/** Takes the handler's answer, or its failure. */
export interface AnswerTaker {
  take(response: Response): void;
  failed(error: unknown): void;
}

/** A request as its handler knows it; the signal tells that its client has left. */
export interface Asked {
  readonly subject: object & Pick<Request, 'signal'>;
}

/** Statuses whose responses have no body (Fetch, 2.2.4). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** No client is left to answer, but the runtime waits for a response. */
const CLIENT_HAS_LEFT = 499;

/** Sends one answer to a host's runtime and follows its delivery. */
export class FetchSender {
  readonly #response = deferred<Response>();
  /** What the host returns to its runtime. Rejects with errors that the app must handle. */
  readonly response = this.#response.promise;
  readonly #request: Asked;
  readonly #headersBefore: () => Headers | undefined;
  #headers: FetchHeaders | undefined;
  #status = 200;
  #hasBegun = false;
  #isClosed = false;
  #isWatched = false;
  #body: DeliveredBody | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(request: Asked, headersBefore: () => Headers | undefined = () => undefined) {
    this.#request = request;
    this.#headersBefore = headersBefore;
  }

  get subject(): Asked['subject'] {
    return this.#request.subject;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.subject.signal.aborted;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get headers(): FetchHeaders {
    return (this.#headers ??= new FetchHeaders(this.#headersBefore()));
  }

  get status(): number {
    return this.#status;
  }

  onClose(listener: () => void): () => void {
    this.#watch();
    if (this.#isClosed) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send({ status, headers, body }: Reply): void {
    const all = this.headers.under(new Headers({ 'Cache-Control': 'no-store', ...headers }));
    const bytes = typeof body === 'string' ? body : Buffer.from(body);
    this.answer(new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers: all.init }));
    this.close();
  }

  sendAgain({ status, headers, body }: HandlerAnswer, receipt: string): void {
    const stored = new FetchHeaders();
    for (const [name, value] of headers) stored.setHeader(name, value);
    this.sendWhole(new Response(null, { status, headers: stored.init }), body, receipt);
  }

  /** Sends a complete body, with the head of a response and the receipt. */
  sendWhole(head: Response, bytes: Uint8Array, receipt: string): void {
    const all = this.headers.under(head.headers);
    all.removeHeaders(['trailer', 'transfer-encoding', 'content-length']);
    markPaid(all, receipt);
    const isEmpty = WITHOUT_BODY.has(head.status);
    if (!isEmpty) all.setHeader('Content-Length', String(bytes.length));
    void this.sendFollowed(head, all, isEmpty ? undefined : new DeliveredBody(bodyOf(bytes)));
  }

  /** Sends a body and follows it, and closes once it has left. Resolves to whether all of it was delivered. */
  sendFollowed({ status, statusText }: Response, headers: FetchHeaders, body?: DeliveredBody): Promise<boolean> {
    if (this.#hasBegun) {
      // Broken off before: nobody takes this body.
      body?.destroy();
      return Promise.resolve(false);
    }
    this.answer(new Response(body?.stream ?? null, { status, statusText, headers: headers.init }));
    this.#body = body;
    this.#watch();
    if (this.subject.signal.aborted) body?.leave();
    const delivered = this.delivered();
    void delivered.then(() => this.close());
    return delivered;
  }

  fail(error: unknown): void {
    this.#hasBegun = true;
    this.#response.reject(error);
    this.close();
  }

  delivered(): Promise<boolean> {
    return this.#body?.outcome ?? Promise.resolve(true);
  }

  destroy(): void {
    this.#body?.destroy();
    this.fail(new Error('the answer was broken off'));
  }

  /** Gives a response to the runtime. Only the first one counts. */
  answer(response: Response): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#status = response.status;
    this.#response.resolve(response);
  }

  /** Ends the runtime's wait, as the client has left. */
  answerNobody(): void {
    this.answer(new Response(null, { status: CLIENT_HAS_LEFT }));
    this.close();
  }

  /** Closes the exchange: nothing more can reach the client. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const { signal } = this.subject;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  /** The client has left. Only the body knows whether it had been sent completely. */
  #leave(): void {
    if (this.#body === undefined) this.close();
    else this.#body.leave();
  }
}

/** The length that a response announces for its body, unless the body is encoded. */
export function announcedLength({ headers }: Response): HeaderValue {
  return headers.has('content-encoding') ? null : headers.get('content-length');
}

/** Headers by which a proxy of Next hands a request on to another handler. */
const PASSED_ON = ['x-middleware-next', 'x-middleware-rewrite'];

/**
 * The response, if it is the handler's own answer. A proxy of Next may hand the request on instead: nothing of the
 * other handler's answer could be held, and a replay would have that answer made again.
 * @throws X402Error `response_not_settleable`
 */
export function wholeAnswer(response: Response): Response {
  if (!PASSED_ON.some((name) => response.headers.has(name))) return response;
  throw new X402Error('response_not_settleable', {
    message: 'a proxy of Next does not see what is answered: charge in the route handler, with withX402',
  });
}
