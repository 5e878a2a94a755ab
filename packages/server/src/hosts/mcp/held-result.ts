import { deferred } from '@avm402/core/deferred';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { HandlerAnswer, HandlerOutcome, HeldAnswer, HoldOptions } from '../../response/held-answer.ts';
import { HeldBody } from '../../response/held-body.ts';
import type { Reply } from '../../response/reply.ts';
import { errorResult, resultOfReply, type ResultSink, withReceipt } from './tool-result.ts';

/** A tool's result that is held until it is paid for. An error result is not charged and passes at once. */
export class HeldResult implements HeldAnswer, ResultSink {
  readonly #outcome = deferred<HandlerOutcome>();
  readonly outcome = this.#outcome.promise;
  readonly #client: ResultSink;
  readonly #body: HeldBody;
  /** Whether another answer has taken its place. */
  #isReplaced = false;
  #result: CallToolResult | undefined;

  constructor(client: ResultSink, options: HoldOptions) {
    this.#client = client;
    this.#body = new HeldBody(options);
  }

  get size(): number {
    return this.#body.size;
  }

  take(result: CallToolResult): void {
    if (this.#isReplaced) return;
    if (result.isError === true) {
      this.#client.take(result);
      return this.#outcome.resolve({ kind: 'passed' });
    }
    const error = this.#body.add(JSON.stringify(result));
    if (error) return this.#outcome.resolve({ kind: 'unholdable', error });
    this.#result = result;
    this.#outcome.resolve({ kind: 'ended' });
  }

  failed(error: unknown): void {
    this.#client.failed(error);
    this.#outcome.resolve({ kind: 'passed' });
  }

  get answer(): HandlerAnswer {
    return jsonAnswer(this.#body);
  }

  release(receipt: string): void {
    if (this.#result) this.#client.take(withReceipt(this.#result, receipt));
  }

  replace(reply: Reply): void {
    this.#isReplaced = true;
    this.#client.take(resultOfReply(reply));
  }

  discard(): void {
    this.#isReplaced = true;
    this.#client.take(errorResult('the call was given up'));
  }
}

/** A result as it is stored for a buyer who comes back. */
export function jsonAnswer(body: HeldBody): HandlerAnswer {
  return { status: 200, headers: [['content-type', 'application/json']], body: body.bytes };
}
