import { REQUEST_ID_HEADER } from '@avm402/core/request-id';

/** A handler's response, complete enough to be sent again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** Headers that belong to the connection or to the request, not to the response. */
export const OF_ONE_EXCHANGE: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  REQUEST_ID_HEADER.toLowerCase(),
]);

/** Part of a body: bytes, or text in UTF-8. Text stays text because Node sends short texts together with the head. */
export type Chunk = Buffer | string;

/** The bytes of a body. */
export function joined(chunks: readonly Chunk[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}
