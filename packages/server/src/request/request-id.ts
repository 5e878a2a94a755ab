import { randomUUID } from 'node:crypto';
import { parseRequestId, REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { Request, Response } from 'express';

/** Names a request: as the app has, or else as its buyer has, or else anew. The answer carries the name. */
export function nameRequest(request: Request, response: Response): string {
  const given = parseRequestId(response.getHeader(REQUEST_ID_HEADER));
  const id = given ?? parseRequestId(request.get(REQUEST_ID_HEADER)) ?? randomUUID();
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}
