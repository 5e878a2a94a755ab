import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { X402Error } from '@avm402/core/errors';
import type { HandlerAnswer } from '../../response/handler-answer.ts';
import type { HandlerOutcome, HeldAnswer, HoldOptions } from '../../response/held-answer.ts';
import type { Reply } from '../../response/reply.ts';
import { errorResult, resultOfReply, type ResultSink, withReceipt } from './tool-result.ts';

/** A tool's result that is held until it is paid for. An error result is not charged and passes at once. */
export class HeldResult implements HeldAnswer, ResultSink {
  readonly outcome: Promise<HandlerOutcome>;
  readonly #client: ResultSink;
  readonly #options: HoldOptions;
  #settle!: (outcome: HandlerOutcome) => void;
  /** Whether another answer has taken its place. */
  #isReplaced = false;
  #held: { readonly result: CallToolResult; readonly body: Buffer } | undefined;

  constructor(client: ResultSink, options: HoldOptions) {
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
    this.#client = client;
    this.#options = options;
  }

  get size(): number {
    return this.#held?.body.length ?? 0;
  }

  take(result: CallToolResult): void {
    if (this.#isReplaced) return;
    if (result.isError === true) {
      this.#client.take(result);
      return this.#settle({ kind: 'passed' });
    }
    const body = Buffer.from(JSON.stringify(result));
    const error = this.#whyNotHeld(body.length);
    if (error) return this.#settle({ kind: 'unholdable', error });
    this.#held = { result, body };
    this.#settle({ kind: 'ended' });
  }

  failed(error: unknown): void {
    this.#client.failed(error);
    this.#settle({ kind: 'passed' });
  }

  answer(): HandlerAnswer {
    return { status: 200, headers: [['content-type', 'application/json']], body: this.#held?.body ?? Buffer.of() };
  }

  release(receipt: string): void {
    if (this.#held) this.#client.take(withReceipt(this.#held.result, receipt));
  }

  replace(reply: Reply): void {
    this.#isReplaced = true;
    this.#client.take(resultOfReply(reply));
  }

  discard(): void {
    this.#isReplaced = true;
    this.#client.take(errorResult('the call was given up'));
  }

  #whyNotHeld(bytes: number): X402Error | undefined {
    const { maxBytes, room } = this.#options;
    if (bytes > maxBytes) {
      const message = `the result's ${bytes} bytes are more than the ${maxBytes} that are held until they are paid`;
      return new X402Error('response_not_settleable', { message });
    }
    return room.take(bytes) ? undefined : new X402Error('too_many_responses_held');
  }
}
