import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that work is done for. */
export interface RequestContext {
  readonly requestId: string;
  /** Name of the caller's key; absent without one. */
  readonly caller?: string;
}

/** Where log lines and settlements find the request that they come from; empty in work of our own. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
