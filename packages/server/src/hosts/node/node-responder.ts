import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { BodyRoom } from '../../response/held-body.ts';
import type { HandlerAnswer, HeldAnswer, HoldOptions } from '../../response/held-answer.ts';
import { type ChangingHeaders, markPaid, type Reply } from '../../response/reply.ts';
import type { PaidStream, Responder } from '../../response/responder.ts';
import { closeWithConnection, finishedWhole, hadLastBytes, heardFrom } from './delivery.ts';
import { HeldResponse } from './held-response.ts';
import { streamPaid } from './paid-stream.ts';
import { writeReply } from './response-writes.ts';

/** Calls the next handler, or with an error the app's error handler. */
export type Next = (error?: unknown) => void;

/** Answers by Node's response, which the handler gets as well. */
export class NodeResponder implements Responder {
  readonly subject: ServerResponse;
  readonly #next: Next;
  readonly #isWhole: () => boolean;

  constructor(response: ServerResponse, next: Next) {
    this.subject = response;
    this.#next = next;
    this.#isWhole = finishedWhole(response);
    closeWithConnection(response);
    heardFrom(response.req.socket);
  }

  get isClosed(): boolean {
    return this.subject.closed;
  }

  get hasBegun(): boolean {
    return this.subject.headersSent;
  }

  get headers(): ChangingHeaders {
    return this.subject;
  }

  get status(): number {
    return this.subject.statusCode;
  }

  onClose(listener: () => void): () => void {
    if (this.isClosed) listener();
    else this.subject.once('close', listener);
    return () => void this.subject.off('close', listener);
  }

  send(reply: Reply): void {
    writeReply(this.subject, reply);
  }

  sendAgain({ status, headers, body }: HandlerAnswer, receipt: string): void {
    this.subject.statusCode = status;
    for (const [name, value] of headers) this.subject.setHeader(name, value);
    // RFC 9110, 8.6: a 204 has no length.
    if (status !== 204) this.subject.setHeader('Content-Length', body.length);
    markPaid(this.subject, receipt);
    this.subject.end(body);
  }

  run(): void {
    this.#next();
  }

  runHeld(options: HoldOptions): HeldAnswer {
    const held = new HeldResponse(this.subject, options);
    this.#next();
    return held;
  }

  runPaid(receipt: string, room: BodyRoom): PaidStream {
    const stream = streamPaid(this.subject, receipt, room);
    this.#next();
    return stream;
  }

  fail(error: unknown): void {
    this.#next(error);
  }

  async delivered(): Promise<boolean> {
    const isSent = await finished(this.subject).then(this.#isWhole, () => false);
    return isSent && hadLastBytes(this.subject);
  }

  answerNobody(): void {
    this.subject.destroy();
  }

  destroy(): void {
    this.subject.destroy();
  }
}
