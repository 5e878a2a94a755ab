import { randomUUID } from 'node:crypto';
import { parseRequestId, REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { ChangingHeaders } from '../response/reply.ts';
import type { RequestFacts } from './request-facts.ts';

/** Names a request: by the app's name for it, else the buyer's, else a new one. The answer carries the name. */
export function nameRequest(request: RequestFacts, answer: ChangingHeaders): string {
  const given = parseRequestId(answer.getHeader(REQUEST_ID_HEADER));
  const id = given ?? parseRequestId(request.header(REQUEST_ID_HEADER)) ?? randomUUID();
  answer.setHeader(REQUEST_ID_HEADER, id);
  return id;
}
