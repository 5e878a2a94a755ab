import type { RequestBody } from './request-body.ts';

/** What a route's handler sees of a request, beside its bound parameters. */
export interface RestRequest {
  /** Reads the body, up to the route's limit. Once a request. */
  body(): Promise<RequestBody>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}
