import { errorCatalogue, isX402Error, type X402ErrorCode } from '@avm402/core/errors';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { parseFacilitatorRequest } from './facilitator-request.ts';
import type { Facilitator } from './facilitator.ts';
import { type Log, silentLog } from './log.ts';

export interface FacilitatorAppOptions {
  readonly log?: Log;
}

/** Bytes of a request: a payment group takes some kilobytes, the rest is offers and extensions. */
const BODY_LIMIT = 262_144;
const REQUEST_TIMEOUT_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;
const TX_ID = /^[A-Z2-7]{52}$/;

/**
 * The facilitator's HTTP interface (x402 v2 §7), as a fastify instance that does not listen yet.
 *
 * @example
 * ```ts
 * import { createFacilitatorApp, type Facilitator } from '@avm402/facilitator';
 *
 * declare const facilitator: Facilitator;
 * const url = await createFacilitatorApp(facilitator).listen({ host: '127.0.0.1', port: 4022 });
 * console.log(`listening on ${url}`);
 * ```
 */
export function createFacilitatorApp(facilitator: Facilitator, options: FacilitatorAppOptions = {}): FastifyInstance {
  const { log = silentLog } = options;
  const app = fastify({ bodyLimit: BODY_LIMIT, requestTimeout: REQUEST_TIMEOUT_MS, return503OnClosing: false });
  app.setErrorHandler((error, request, reply) => answerError({ error, request, reply, log }));
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'not_found', message: 'There is nothing here.' }));
  closeGracefully(app);
  addPaymentRoutes(app, facilitator, log);
  addLookUpRoutes(app, facilitator);
  return app;
}

/**
 * While the server closes, requests under way are answered and new ones refused. Each answer ends its connection; kept
 * alive, it would keep the server from closing.
 */
function closeGracefully(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', (_, reply, next) => {
    if (isClosing) answerTrouble(reply, 'shutting_down');
    else next();
  });
  app.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('Connection', 'close');
  });
}

function addPaymentRoutes(app: FastifyInstance, facilitator: Facilitator, log: Log): void {
  app.post('/verify', async ({ body }) => {
    const { paymentPayload, paymentRequirements } = parseFacilitatorRequest(body);
    const verdict = await facilitator.verify(paymentPayload, paymentRequirements);
    if (!verdict.isValid) log.info({ reason: verdict.invalidReason }, 'a payment was refused by verify');
    return verdict;
  });

  app.post('/settle', async ({ body, headers }) => {
    const { paymentPayload, paymentRequirements } = parseFacilitatorRequest(body);
    const key = headers['idempotency-key'];
    const options = key === undefined ? {} : { idempotencyKey: String(key) };
    const outcome = await facilitator.settle(paymentPayload, paymentRequirements, options);
    const { success, errorReason: reason, transaction } = outcome;
    if (!success) log.info({ reason, transaction }, 'a payment was not settled for its caller');
    return outcome;
  });
}

function addLookUpRoutes(app: FastifyInstance, facilitator: Facilitator): void {
  app.get('/supported', () => facilitator.getSupported());

  app.get<{ Params: { txId: string } }>('/settlements/:txId', async ({ params: { txId } }, reply) => {
    const settlement = TX_ID.test(txId) ? await facilitator.settlement(txId) : undefined;
    return settlement ?? reply.code(404).send(errorBody('settlement_not_found'));
  });

  // Whether the process answers, and nothing else: restarting it mends no node and fills no account.
  app.get('/health', () => ({ status: 'ok' }));

  app.get('/ready', async (_, reply) => {
    const readiness = await facilitator.readiness();
    return reply.code(readiness.status === 'not_ready' ? 503 : 200).send(readiness);
  });
}

interface FailedRequest {
  readonly error: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly log: Log;
}

/** Says what is wrong with a request; of trouble of our own only its code gets out, the rest is logged. */
function answerError({ error, request, reply, log }: FailedRequest): FastifyReply {
  const code = isX402Error(error) ? error.code : codeOf(error, request);
  const { httpStatus } = errorCatalogue[code];
  if (httpStatus < 500) return reply.code(httpStatus).send(errorBody(code));
  log.error({ url: request.routeOptions.url, code, err: error }, 'a request failed');
  return answerTrouble(reply, code);
}

/** Trouble of our own, which may be over when the caller asks again. */
function answerTrouble(reply: FastifyReply, code: X402ErrorCode): FastifyReply {
  const { httpStatus } = errorCatalogue[code];
  return reply.code(httpStatus).header('Retry-After', RETRY_AFTER_SECONDS).send(errorBody(code));
}

/** fastify's own errors with a 4xx status are about the request: its size, its type, its JSON. */
function codeOf(error: unknown, request: FastifyRequest): X402ErrorCode {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status < 500) return 'invalid_request';
  return request.routeOptions.url === '/verify' ? 'unexpected_verify_error' : 'unexpected_settle_error';
}

function errorBody(code: X402ErrorCode): { readonly error: X402ErrorCode; readonly message: string } {
  return { error: code, message: errorCatalogue[code].meaning };
}
