import type { Chunk } from './held-body.ts';

/** Part of a stream, and a callback for when it has left or can't leave. */
export interface StreamPart {
  readonly chunk?: Chunk;
  readonly callback?: (error?: Error) => void;
}

/** Takes an event stream whose payment is charged while it runs. */
export interface StreamTaker {
  /** The handler has written the head, and no byte of its answer has left yet. */
  begin(outlet: StreamOutlet): void;
  /** Takes a part. Returns whether more may be written before this part has left. */
  write(part: StreamPart): boolean;
  end(part: StreamPart): void;
  /** Whether nothing more is taken. */
  readonly isEnded: boolean;
}

/** Carries an event stream to its client. */
export interface StreamOutlet {
  /** Sends the head, with this receipt. */
  head(receipt: string): void;
  write(part: StreamPart): void;
  /** Whether its client reads more slowly than the handler writes; `drain` comes when it has caught up. */
  readonly isFull: boolean;
  end(): void;
  /** Calls `end` once everything that the handler has written so far is taken. */
  cutOff(end: () => void): void;
  /** Tells the handler that it may write again. */
  drain(): void;
}
