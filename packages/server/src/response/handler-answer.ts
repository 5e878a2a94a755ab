import { REQUEST_ID_HEADER } from '@avm402/core/request-id';

/** A handler's response, complete enough to be sent again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** Headers that belong to the connection or to the request, not to the response. */
export const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  REQUEST_ID_HEADER.toLowerCase(),
]);
