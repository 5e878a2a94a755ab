import type { Json } from './plain-json.ts';

/** What a route answers, before it is written, compressed and sent. */
export type Answer = JsonAnswer | WrittenAnswer | StreamAnswer | typeof CUT;

/** No answer: the connection is cut. */
export const CUT = { status: 0, cut: true } as const;

/** JSON for the plain writer, which indents it when the request asks for `pretty`. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose body is written already, or that has none. */
export interface WrittenAnswer {
  readonly status: number;
  /** Absent: no content type is sent. */
  readonly contentType?: string;
  /** Absent: no body. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that goes on until the client or the node ends it. */
export interface StreamAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Begins to write. What comes back is called when the connection is gone. */
  readonly begin: (stream: AnswerStream) => () => void;
}

/** Where such an answer is written. A client that does not keep up loses its connection. */
export interface AnswerStream {
  write(text: string): void;
  end(): void;
}

export const JSON_TYPE = 'application/json';

export function emptyAnswer(status = 200): WrittenAnswer {
  return { status };
}

export function jsonAnswer(json: Json): JsonAnswer {
  return { status: 200, json };
}

/** JSON that is written already, sent as it is. */
export function writtenJsonAnswer(body: string): WrittenAnswer {
  return { status: 200, contentType: JSON_TYPE, body };
}

export function msgpackAnswer(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): WrittenAnswer {
  return { status: 200, contentType: 'application/msgpack', body, headers };
}

/** Plain text as algod's handlers write it: no newline at the end. */
export function textAnswer(status: number, body: string): WrittenAnswer {
  return { status, contentType: 'text/plain; charset=UTF-8', body };
}
