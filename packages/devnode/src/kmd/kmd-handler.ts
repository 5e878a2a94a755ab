import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { DevnodeError } from '../errors.ts';
import { drain, type BodyBudget } from '../rest/request-body.ts';
import type { RestHandler } from '../rest/rest-handler.ts';
import { equalityWith } from '../rest/authentication.ts';
import { TransportRefusal } from '../rest/transport-refusal.ts';
import type { KmdConfig } from './kmd-config.ts';
import { answer } from './messages.ts';
import type { KmdRoute } from './route.ts';

const MAX_BODY_BYTES = 1_000_000;
const VERSIONS = ['v1'];

export interface KmdHandlerOptions {
  readonly routes: readonly KmdRoute[];
  readonly token: string;
  readonly config: KmdConfig;
  readonly bodies: BodyBudget;
  /** Called with an error that is not a refusal; the caller gets a 500 without its text. */
  readonly onInternalError: (error: unknown) => void;
}

interface KmdAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether pages of allowed origins may read the answer. */
  readonly shared: boolean;
}

/** Serves one request to KMD. Never rejects. */
export function createKmdHandler(options: KmdHandlerOptions): RestHandler {
  const isToken = equalityWith(options.token);
  const routes = new Map(options.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const answerTo = async (incoming: IncomingMessage): Promise<KmdAnswer> => {
    const path = (incoming.url ?? '/').replace(/\?.*$/s, '');
    if (incoming.method === 'OPTIONS') {
      return { status: 200, headers: privateNetwork(incoming.headers, options.config), shared: true };
    }
    if (path === '/versions') return json(200, answer.versions.json({ versions: VERSIONS }, ''));
    if (path === '/swagger.json') return json(200, description(options.routes));
    if (!path.startsWith('/v1/')) return { status: 405, shared: false };
    const route = routes.get(`${incoming.method} ${path}`);
    if (route === undefined) return notFound();
    const given = incoming.headers['x-kmd-api-token'];
    if (typeof given !== 'string' || !isToken(given)) return refusal(401, 'invalid API token');
    return call(route, incoming, options);
  };
  return async (incoming, outgoing) => {
    const answered = await answerTo(incoming);
    send(answered, answered.shared ? sharing(incoming.headers, options.config) : {}, outgoing);
    options.bodies.release(incoming);
    drain(incoming);
  };
}

async function call(
  route: KmdRoute,
  incoming: IncomingMessage,
  { bodies, onInternalError }: KmdHandlerOptions,
): Promise<KmdAnswer> {
  try {
    const { bytes } = await bodies.read(incoming, MAX_BODY_BYTES);
    return json(200, route.handle(bytes));
  } catch (error) {
    if (error instanceof DevnodeError || error instanceof TransportRefusal) return refusal(error.status, error.message);
    onInternalError(error);
    return refusal(500, 'Internal Server Error');
  }
}

function json(status: number, body: string): KmdAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body, shared: true };
}

function refusal(status: number, message: string): KmdAnswer {
  return json(status, answer.error.json({ error: true, message }, ''));
}

function notFound(): KmdAnswer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status: 404, headers, body: '404 page not found\n', shared: false };
}

function send({ status, headers, body = '' }: KmdAnswer, shared: Record<string, string>, outgoing: ServerResponse) {
  const length = Buffer.byteLength(body);
  outgoing.writeHead(status, { ...headers, ...shared, 'content-length': length }).end(body);
}

/** The routes, described in Swagger 2. */
function description(routes: readonly KmdRoute[]): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of routes) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: { 200: { description: 'JSON' } } } };
  }
  return JSON.stringify({ swagger: '2.0', info: { title: 'KMD', version: 'v1' }, paths }, undefined, 2);
}

/** Headers that let pages of an allowed origin read an answer. */
function sharing({ origin }: IncomingHttpHeaders, { allowed_origins }: KmdConfig): Record<string, string> {
  if (origin === undefined || !(allowed_origins.includes(origin) || allowed_origins.includes('*'))) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'X-KMD-API-Token, Content-Type',
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  };
}

/** Headers of a preflight's answer that let pages of the public Internet call at all, whatever their origin. */
function privateNetwork(headers: IncomingHttpHeaders, { allow_header_pna }: KmdConfig): Record<string, string> {
  const asked = headers['access-control-request-private-network'] === 'true';
  return allow_header_pna && asked ? { 'access-control-allow-private-network': 'true' } : {};
}
