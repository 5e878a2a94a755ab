import cors from '@fastify/cors';
import { BAZAAR } from '@avm402/core/discovery';
import { errorCatalogue, isX402Error, type X402ErrorCode } from '@avm402/core/errors';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type AdmissionOptions, admitRequests } from './admission.ts';
import { STORE_ID_HEADER } from '@avm402/core/supported-response';
import { supportedFor } from './supported-for.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { addDiscoveryRoutes } from './discovery-routes.ts';
import type { Facilitator } from '../facilitator.ts';
import type { Ledger } from '../settlement/ledger.ts';
import { addLedgerRoutes } from './ledger-routes.ts';
import { type Log, silentLog } from '../log/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { addOpenApiRoutes } from './openapi/openapi-routes.ts';
import { FORBIDDEN, ok } from './openapi/operation.ts';
import { addPaymentRoutes } from './payment-routes.ts';
import { preferredWaitMs } from './prefer.ts';
import { logRefusedRequest, requestIdOf, traceRequests } from './request-log.ts';
import { schemaCompilers } from './schema-compilers.ts';

export interface FacilitatorAppOptions extends AdmissionOptions {
  /** The facilitator's metrics, served at `/metrics`. Default: no such route. */
  readonly metrics?: Metrics;
  /** The records that callers may read at `/settlements` with their keys. Default: no such route. */
  readonly ledger?: Ledger;
  /** Whether the ledger needs no key if there are no callers, as in development. Default false. */
  readonly isLedgerOpen?: boolean;
  /** Lists the resources of settled payments, and serves the list at `/discovery`. Default: nothing is listed. */
  readonly discovery?: Discovery;
  /** IP addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Origins whose pages may call from a browser. Default: none. */
  readonly corsOrigins?: readonly string[];
}

/** Bytes of a request: a payment group takes some kilobytes; offers and extensions take the rest. */
const BODY_LIMIT = 262_144;
/** A request arrives in one piece. One that arrives slowly comes from somebody who wants to hold places. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often connections are checked for that timeout. */
const CONNECTION_CHECK_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;
/** The parameters of one settlement's route. */
type TxIdRoute = { readonly Params: { readonly txId: string } };
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
  const { log = silentLog, metrics, discovery, trustedProxies = [], corsOrigins = [] } = options;
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CONNECTION_CHECK_MS },
    return503OnClosing: false,
    genReqId: requestIdOf,
    trustProxy: [...trustedProxies],
    schemaController: { compilersFactory: schemaCompilers },
  });
  traceRequests(app, metrics);
  app.setErrorHandler((error, request, reply) => answerError({ error, request, reply, log }));
  app.setNotFoundHandler((request, reply) => {
    logRefusedRequest(log, request, 404, 'not_found');
    return reply.code(404).send(errorBody('not_found'));
  });
  if (corsOrigins.length > 0) void app.register(cors, corsOptions(corsOrigins));
  // This comes after CORS, so that a page can read why its request is refused.
  app.after(() => {
    closeGracefully(app);
    admitRequests(app, options);
  });
  addOpenApiRoutes(app);
  addPaymentRoutes(app, facilitator, { log, metrics, discovery });
  addLookUpRoutes(app, facilitator, options);
  if (discovery !== undefined) addDiscoveryRoutes(app, discovery);
  const { ledger, callers, isLedgerOpen = false } = options;
  if (ledger !== undefined && (callers !== undefined || isLedgerOpen)) addLedgerRoutes(app, ledger);
  if (metrics !== undefined) addMetricsRoute(app, facilitator, metrics);
  return app;
}

function corsOptions(origins: readonly string[]) {
  const exposedHeaders = ['Retry-After', 'X-Request-Id'];
  return { origin: [...origins], methods: ['GET', 'POST'], exposedHeaders, maxAge: 600 };
}

/**
 * While the server closes, requests under way are answered and new ones are refused. Each answer ends its connection; a
 * connection kept alive would keep the server from closing.
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

const SUPPORTED = {
  summary: 'Schemes, networks and fee payers',
  answers: [ok('What is served', 'SupportedResponse')],
};
const SETTLEMENT = {
  summary: 'What is recorded of a payment',
  headers: { Prefer: 'wait=N: answer when there is an outcome, after N seconds at the latest' },
  answers: [ok('Its state', 'SettlementStatus'), { status: 404, description: 'Nothing is recorded', schema: 'Error' }],
} as const;
const HEALTH = {
  isAlwaysAnswered: true,
  summary: 'Whether the process answers',
  answers: [ok('It does', 'Alive')],
};
const READY = {
  isAlwaysAnswered: true,
  summary: 'Whether payments can be settled now',
  answers: [ok('They can', 'Readiness'), { status: 503, description: 'They can’t', schema: 'Readiness' }],
} as const;
const METRICS = {
  needs: 'operator',
  summary: 'What is counted and measured',
  answers: [{ status: 200, description: 'In the text format of Prometheus', media: ['text/plain'] }, ...FORBIDDEN],
} as const;

function addLookUpRoutes(
  app: FastifyInstance,
  facilitator: Facilitator,
  { callers, discovery }: FacilitatorAppOptions,
): void {
  app.get('/supported', { config: SUPPORTED }, async ({ caller }, reply) => {
    // A header, because a new member in a kind's `extra` would keep some servers from reading the rest of it.
    reply.header(STORE_ID_HEADER, await facilitator.storeId());
    const known = await facilitator.getSupported();
    const supported = discovery === undefined ? known : { ...known, extensions: [...known.extensions, BAZAAR] };
    if (callers === undefined) return supported;
    return supportedFor(caller, supported, (network, payTo) => facilitator.sponsors(network, payTo));
  });

  app.get<TxIdRoute>('/settlements/:txId', { config: SETTLEMENT }, async ({ params: { txId }, headers }, reply) => {
    const waitMs = preferredWaitMs(headers['prefer']);
    const settlement = TX_ID.test(txId) ? await facilitator.settlement(txId, { waitMs }) : undefined;
    return settlement ?? reply.code(404).send(errorBody('settlement_not_found'));
  });

  // Says only whether the process answers: a restart would not repair a node or fill an account.
  app.get('/health', { config: HEALTH }, () => ({ status: 'ok' }));

  app.get('/ready', { config: READY }, async (_, reply) => {
    const readiness = await facilitator.readiness();
    return reply.code(readiness.status === 'not_ready' ? 503 : 200).send(readiness);
  });
}

function addMetricsRoute(app: FastifyInstance, facilitator: Facilitator, metrics: Metrics): void {
  app.get('/metrics', { config: METRICS }, async (_, reply) => {
    metrics.show(await facilitator.readiness());
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

interface FailedRequest {
  readonly error: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly log: Log;
}

/** Tells the caller what is wrong with its request. For trouble of our own it tells the code only and logs the rest. */
function answerError({ error, request, reply, log }: FailedRequest): FastifyReply {
  const code = isX402Error(error) ? error.code : codeOf(error, request);
  const { httpStatus } = errorCatalogue[code];
  if (httpStatus < 500) {
    logRefusedRequest(log, request, httpStatus, code);
    if (httpStatus === 401) reply.header('WWW-Authenticate', 'Bearer');
    if (httpStatus === 429) reply.header('Retry-After', retryAfterOf(error));
    return reply.code(httpStatus).send(errorBody(code, isX402Error(error) ? error.message : undefined));
  }
  log.error({ requestId: request.id, route: request.routeOptions.url, code, err: error }, 'a request failed');
  return answerTrouble(reply, code);
}

function retryAfterOf(error: unknown): string {
  return String((isX402Error(error) ? error.details['retryAfter'] : undefined) ?? RETRY_AFTER_SECONDS);
}

/** Answers with trouble of our own, which may be over when the caller asks again. */
function answerTrouble(reply: FastifyReply, code: X402ErrorCode): FastifyReply {
  const { httpStatus } = errorCatalogue[code];
  return reply.code(httpStatus).header('Retry-After', RETRY_AFTER_SECONDS).send(errorBody(code));
}

/** The code of fastify's own errors. Those with a 4xx status are about the request: its size, its type, its JSON. */
function codeOf(error: unknown, request: FastifyRequest): X402ErrorCode {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status < 500) return 'invalid_request';
  return request.routeOptions.url === '/verify' ? 'unexpected_verify_error' : 'unexpected_settle_error';
}

/** The body of a refused request. Trouble of our own gets the catalogue's words only. */
function errorBody(code: X402ErrorCode, message: string = errorCatalogue[code].meaning) {
  return { error: code, message };
}
