import type { SpanFacts, SpanName } from '@avm402/core/trace';
import type { ReplayableRequest } from './replayable-request.ts';

/** Does a part of a request's work within a span; a server that gets the request meanwhile continues the trace. */
export function traced<T>(
  request: ReplayableRequest,
  name: SpanName,
  facts: SpanFacts,
  work: (inside: ReplayableRequest) => Promise<T>,
): Promise<T> {
  return request.trace.span(name, facts, (trace) => work({ ...request, trace }));
}
