import type { RequestBody } from './request-body.ts';

/** The parts of a request that a route's handler sees, besides its bound parameters. */
export interface RestRequest {
  /** Reads the body, up to the route's limit. Call it once per request. */
  body(): Promise<RequestBody>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}
