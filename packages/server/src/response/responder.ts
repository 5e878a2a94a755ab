import type { HandlerAnswer, HeldAnswer, HoldOptions } from './held-answer.ts';
import type { BodyRoom } from './held-body.ts';
import type { ChangingHeaders, Reply } from './reply.ts';

/** Time that a handler has to write more after its client has left, which shows that the answer was not complete. */
export const LEFT_GRACE_MS = 15_000;

/** An answer that is already paid for. It streams, with the receipt in its head. */
export interface PaidStream {
  /**
   * Resolves when the answer has left or has broken off. `answer` is a copy of a complete 2xx answer, if it was small
   * enough to be kept. `error` is the handler's error, if nobody else is told.
   */
  readonly outcome: Promise<{
    readonly isDelivered: boolean;
    readonly answer?: HandlerAnswer;
    readonly error?: unknown;
  }>;
}

/** Runs the handler of one request and answers its client, both in the way of the app's host. */
export interface Responder {
  /** The object by which the handler knows the request; `charge` is called with it. */
  readonly subject: object;
  /** Whether nothing more can reach the client: it has got its answer, or has left. */
  readonly isClosed: boolean;
  /** Whether an answer has begun to leave. */
  readonly hasBegun: boolean;
  /** Calls the listener when the exchange is closed, at once if it is; returns a function that removes the listener. */
  onClose(listener: () => void): () => void;
  /** The headers of any answer to the request. */
  readonly headers: ChangingHeaders;
  /** The status that was answered. */
  readonly status: number;
  /** Sends a reply of the seller. */
  send(reply: Reply): void;
  /** Sends a stored answer again, with the receipt of its payment. */
  sendAgain(answer: HandlerAnswer, receipt: string): void;
  /** Runs the handler. */
  run(): void;
  /** Runs the handler, and holds what it answers. */
  runHeld(options: HoldOptions): HeldAnswer;
  /** Runs the handler, and lets its answer go with the receipt. Copies it while there is room. */
  runPaid(receipt: string, room: BodyRoom): PaidStream;
  /** Hands an error to the app. */
  fail(error: unknown): void;
  /** Resolves to whether the answer has reached the client. */
  delivered(): Promise<boolean>;
  /** Ends a request that nothing has answered: its client has left. */
  answerNobody(): void;
  /** Breaks the connection off: what has left is not the whole answer. */
  destroy(): void;
}
