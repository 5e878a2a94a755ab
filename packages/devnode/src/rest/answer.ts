import type { Json } from './plain-json.ts';

/** A route's answer, before it is written, compressed and sent. */
export type Answer = JsonAnswer | WrittenAnswer | StreamAnswer | typeof CUT;

/** Instead of an answer, the connection is cut. */
export const CUT = { status: 0, cut: true } as const;

/** JSON for the plain writer, which indents it if the request asks for `pretty`. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose body is already written, or that has no body. */
export interface WrittenAnswer {
  readonly status: number;
  /** Absent: no content type is sent. */
  readonly contentType?: string;
  /** Absent: no body. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that continues until the client or the node ends it. */
export interface StreamAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Begins to write. The returned function is called when the connection is gone. */
  readonly begin: (stream: AnswerStream) => () => void;
}

/** The writer of such an answer. A client that reads too slowly loses its connection. */
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

/** JSON that is already written; it is sent unchanged. */
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
