import type { Chunk } from './chunk.ts';

/** Part of a stream, and what to call once it has left, or can't. */
export interface StreamPart {
  readonly chunk?: Chunk;
  readonly callback?: (error?: Error) => void;
}

/** Where an event stream goes whose payment is charged while it runs. */
export interface StreamTaker {
  /** The handler has written the head, and not one byte of its answer has left. */
  begin(outlet: StreamOutlet): void;
  /** Whether more may be written before what was has left. */
  write(part: StreamPart): boolean;
  end(part: StreamPart): void;
  /** Whether nothing more is taken. */
  readonly isEnded: boolean;
}

/** The way of an event stream to its client. */
export interface StreamOutlet {
  /** Lets the head go, with this receipt. */
  head(receipt: string): void;
  write(part: StreamPart): void;
  end(): void;
  /** Calls `end` once all that the handler has written so far was taken. */
  cutOff(end: () => void): void;
  /** Tells the handler that it may write on. */
  drain(): void;
}
