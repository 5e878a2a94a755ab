import { randomUUID } from 'node:crypto';
import { parseRequestId, REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { ChangingHeaders } from '../response/reply.ts';
import type { RequestFacts } from './request-facts.ts';

/** Names a request: as the app has, or else as its buyer has, or else anew. The answer carries the name. */
export function nameRequest(request: RequestFacts, answer: ChangingHeaders): string {
  const given = parseRequestId(answer.getHeader(REQUEST_ID_HEADER));
  const id = given ?? parseRequestId(request.header(REQUEST_ID_HEADER)) ?? randomUUID();
  answer.setHeader(REQUEST_ID_HEADER, id);
  return id;
}
