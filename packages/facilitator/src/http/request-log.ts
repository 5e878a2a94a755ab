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

/** Gives every answer the id of its request, and every log line of the work for it, too; counts and times answers. */
export function traceRequests(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.addHook('onRequest', async ({ id }, reply) => void reply.header(REQUEST_ID_HEADER, id));
  // Not before the body is read: it arrives in events of its own.
  app.addHook('preHandler', ({ id, caller, headers: { traceparent } }, _, next) => {
    const facts = { requestId: id, ...(caller !== undefined && { caller: caller.name }) };
    requestContext.run({ facts, ...(typeof traceparent === 'string' && { traceparent }) }, next);
  });
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) =>
    metrics?.requestAnswered(routeOf(request), statusCode, elapsedTime),
  );
}

/** The line of a request that is not answered with what it asked for. */
export function logRefusedRequest(log: Log, request: FastifyRequest, status: number, code: X402ErrorCode): void {
  const { id: requestId, ip, caller } = request;
  const facts = { requestId, route: routeOf(request), status, code, ip };
  log.info({ ...facts, ...(caller !== undefined && { caller: caller.name }) }, 'a request was refused');
}

/** The route's pattern, never the URL that was asked for. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'none';
}

/** What a payment's requirements say that an operator looks for; as they came, so bounded. */
export function offerFacts(requirements: object): Record<string, string> {
  const names = ['network', 'asset', 'amount', 'payTo'];
  const texts = Object.entries(requirements).filter(
    ([name, value]) => names.includes(name) && typeof value === 'string',
  );
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value).slice(0, MAX_TEXT)]));
}
