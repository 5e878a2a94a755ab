import { deferred } from '@avm402/core/deferred';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type BodyRoom, HeldBody } from '../../response/held-body.ts';
import type { HandlerAnswer, HeldAnswer, HoldOptions } from '../../response/held-answer.ts';
import type { ChangingHeaders, Reply } from '../../response/reply.ts';
import type { PaidStream, Responder } from '../../response/responder.ts';
import { HeldResult, jsonAnswer } from './held-result.ts';
import { errorResult, resultOfReply, type ResultSink, withReceipt } from './tool-result.ts';
import type { CallContext } from './tool-call.ts';

/** Answers the call of a tool with one result. A result has no place for the rest of an HTTP response. */
export class ToolResponder implements Responder {
  readonly subject: CallContext;
  readonly headers: ChangingHeaders = headerMap();
  readonly #result = deferred<CallToolResult>();
  /** What the caller gets. Rejects with the tool's error, which the SDK turns into a result. */
  readonly result = this.#result.promise;
  readonly #tool: () => CallToolResult | Promise<CallToolResult>;
  readonly #closed = new AbortController();
  readonly #client: ResultSink = {
    take: (result) => this.#end(() => this.#result.resolve(result)),
    failed: (error) => this.#end(() => this.#result.reject(error)),
  };
  /** Where the tool's outcome goes. */
  #sink = this.#client;

  constructor(context: CallContext, tool: () => CallToolResult | Promise<CallToolResult>) {
    this.subject = context;
    this.#tool = tool;
  }

  /** Whether the call has its result, or was given up. */
  get isClosed(): boolean {
    return this.#closed.signal.aborted || this.subject.signal.aborted;
  }

  get hasBegun(): boolean {
    return this.#closed.signal.aborted;
  }

  /** A result has no status. */
  get status(): number {
    return 200;
  }

  onClose(listener: () => void): () => void {
    const either = AbortSignal.any([this.#closed.signal, this.subject.signal]);
    if (either.aborted) listener();
    else either.addEventListener('abort', listener, { once: true });
    return () => either.removeEventListener('abort', listener);
  }

  send(reply: Reply): void {
    this.#client.take(resultOfReply(reply));
  }

  sendAgain({ body }: HandlerAnswer, receipt: string): void {
    const result: CallToolResult = JSON.parse(Buffer.from(body).toString());
    this.#client.take(withReceipt(result, receipt));
  }

  runHeld(options: HoldOptions): HeldAnswer {
    const held = new HeldResult(this.#client, options);
    this.#sink = held;
    this.run();
    return held;
  }

  runPaid(receipt: string, room: BodyRoom): PaidStream {
    const { promise, resolve } = deferred<Awaited<PaidStream['outcome']>>();
    this.#sink = {
      take: (result) => {
        this.#client.take(withReceipt(result, receipt));
        const isDelivered = result.isError !== true && !this.subject.signal.aborted;
        resolve({ isDelivered, ...(isDelivered && copyOf(result, room)) });
      },
      failed: (error) => {
        this.#client.take(withReceipt(errorResult('the tool failed; call it again with the same payment'), receipt));
        resolve({ isDelivered: false, error });
      },
    };
    this.run();
    return { outcome: promise };
  }

  run(): void {
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      this.#sink.take(await this.#tool());
    } catch (error) {
      this.#sink.failed(error);
    }
  }

  fail(error: unknown): void {
    this.#client.failed(error);
  }

  /** A result that was handed to the SDK counts as delivered if its call goes on: the protocol reports no more. */
  async delivered(): Promise<boolean> {
    await this.result.catch(() => {});
    return !this.subject.signal.aborted;
  }

  answerNobody(): void {
    this.destroy();
  }

  destroy(): void {
    this.#client.take(errorResult('the call was broken off'));
  }

  /** Only the first answer counts. */
  #end(answer: () => void): void {
    answer();
    this.#closed.abort();
  }
}

function copyOf(result: CallToolResult, room: BodyRoom): { readonly answer?: HandlerAnswer } {
  const body = new HeldBody(room);
  body.add(JSON.stringify(result));
  return body.isWhole ? { answer: jsonAnswer(body) } : {};
}

function headerMap(): ChangingHeaders {
  const headers = new Map<string, string>();
  return {
    getHeader: (name) => headers.get(name.toLowerCase()),
    setHeader: (name, value) => headers.set(name.toLowerCase(), value),
  };
}
