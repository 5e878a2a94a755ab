import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from '@avm402/core/trace';

/** The request that work is done for. */
export interface RequestContext {
  /** What every log line of the work says of it. */
  readonly facts: RequestFacts;
  /** The header that says where its spans belong. */
  readonly traceparent?: string;
  /** Where the spans of the work belong; absent where none are recorded. */
  readonly trace?: Trace;
}

interface RequestFacts {
  /** Absent for work that another part of this process asks for. */
  readonly requestId?: string;
  /** Name of the caller's key; absent without one. */
  readonly caller?: string;
}

/** Where log lines and settlements find the request that they come from; empty in work of our own. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
