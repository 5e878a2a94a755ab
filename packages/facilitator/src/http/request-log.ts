import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { X402ErrorCode } from '@avm402/core/errors';
import { parseRequestId, REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { requestContext } from '../log/request-context.ts';

const MAX_TEXT = 64;

/** The id that the caller gave its request, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  return parseRequestId(headers['x-request-id']) ?? randomUUID();
}

/** Puts the request's id into its answer and into every log line of its work; counts and times answers. */
export function traceRequests(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.addHook('onRequest', async ({ id }, reply) => void reply.header(REQUEST_ID_HEADER, id));
  // This waits until the body has been read, because the body arrives in events of its own.
  app.addHook('preHandler', ({ id, caller, headers: { traceparent } }, _, next) => {
    const facts = { requestId: id, ...(caller !== undefined && { caller: caller.name }) };
    requestContext.run({ facts, ...(typeof traceparent === 'string' && { traceparent }) }, next);
  });
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) =>
    metrics?.requestAnswered(routeOf(request), statusCode, elapsedTime),
  );
}

/** Logs a request that was refused or failed. */
export function logRefusedRequest(log: Log, request: FastifyRequest, status: number, code: X402ErrorCode): void {
  const { id: requestId, ip, caller } = request;
  const facts = { requestId, route: routeOf(request), status, code, ip };
  log.info({ ...facts, ...(caller !== undefined && { caller: caller.name }) }, 'a request was refused');
}

/** The route's pattern, never the requested URL. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'none';
}

/** The requirements' members that an operator searches for. They are not validated, so their length is limited. */
export function offerFacts(requirements: object): Record<string, string> {
  const names = ['network', 'asset', 'amount', 'payTo'];
  const texts = Object.entries(requirements).filter(
    ([name, value]) => names.includes(name) && typeof value === 'string',
  );
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value).slice(0, MAX_TEXT)]));
}
