import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from '@avm402/core/trace';

/** The request for which work is done. */
export interface RequestContext {
  /** The facts that every log line of the work contains. */
  readonly facts: RequestFacts;
  /** The header that says which trace the request continues. */
  readonly traceparent?: string;
  /** The trace to which the work's spans belong; absent if none are recorded. */
  readonly trace?: Trace;
}

interface RequestFacts {
  /** Absent if another part of this process asked for the work. */
  readonly requestId?: string;
  /** Name of the caller's key; absent without one. */
  readonly caller?: string;
}

/** Tells log lines and settlements which request they belong to; empty in background work. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
