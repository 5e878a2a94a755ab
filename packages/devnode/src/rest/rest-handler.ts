import type { Answered } from './request-metrics.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DevnodeError } from '../errors.ts';
import { type Answer, emptyAnswer } from './answer.ts';
import type { Authenticate } from './authentication.ts';
import { NOT_FOR_PAGES, refuseAllButLocalPrograms, refusePage } from './caller.ts';
import { preflightHeaders } from './cors.ts';
import type { Bound, Parameters } from './parameter.ts';
import { parseRequestTarget, percentDecode, type RequestTarget } from './query.ts';
import { type BodyBudget, drain, type RequestBody } from './request-body.ts';
import type { RestRequest, Route } from './route.ts';
import type { Match, Router } from './router.ts';
import { sendAnswer } from './send-answer.ts';
import { TransportRefusal } from './transport-refusal.ts';

/** algod's limit of a request's body on public routes, in bytes. */
const MAX_BODY_BYTES = 10_000_000;

export interface RestHandlerOptions {
  readonly router: Router;
  readonly authenticate: Authenticate;
  readonly bodies: BodyBudget;
  /** The name or address that the node listens on. */
  readonly host: string;
  /** algod's `EnablePrivateNetworkAccessHeader`. */
  readonly privateNetwork: boolean;
  /** The header in which pages send the token. */
  readonly tokenHeader: string;
  /** Refuses a query that the route does not answer. Absent: unknown parameters are ignored, as by algod. */
  readonly checkQuery?: (route: Route, query: RequestTarget['query']) => void;
  /** Awaited before any answer, because what an answer reports must outlive the node. Undefined: it already does. */
  readonly kept: () => Promise<void> | undefined;
  /** Called after every answer, with the path of its route if it has one. */
  readonly onAnswer: (answered: Answered) => void;
  /** Called with an error that is not a refusal; the caller gets a 500 without its text. */
  readonly onInternalError: (error: unknown) => void;
}

/** Serves one request, with algod's order of checks, headers and error texts. Never rejects. */
export type RestHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: RequestTarget;
  readonly match: Match;
  /** Whether a page of any origin may read the answer. */
  readonly forPages: boolean;
}

export function createRestHandler(options: RestHandlerOptions): RestHandler {
  return async (incoming, outgoing) => {
    const method = incoming.method ?? '';
    const target = parseRequestTarget(incoming.url ?? '/');
    const match: Match = target ? options.router.find(method, target.path) : { kind: 'unknown' };
    const route = match.kind === 'route' ? match.route : undefined;
    const forPages = isForPages(options, incoming, match, target?.path);
    const pretty = route?.access !== 'open' && target?.query.has('pretty') === true;
    const { answer, compressible } = target
      ? await settle(options, { incoming, outgoing, target, match, forPages })
      : refusal(new TransportRefusal(400, 'Bad Request'), options);
    try {
      await sendAnswer(incoming, outgoing, { answer, compressible, pretty, forPages });
    } catch (error) {
      options.onInternalError(error);
      outgoing.destroy();
    }
    options.bodies.release(incoming);
    drain(incoming);
    options.onAnswer({ method, path: route?.path, status: answer.status });
  };
}

interface Settled {
  readonly answer: Answer;
  /** algod compresses the answers of its handlers, not the refusals of its router and middleware. */
  readonly compressible: boolean;
}

async function settle(options: RestHandlerOptions, exchange: Exchange): Promise<Settled> {
  const settled = await attempt(options, exchange);
  try {
    await options.kept();
    return settled;
  } catch (error) {
    options.onInternalError(error);
    return refusal(error, options);
  }
}

async function attempt(options: RestHandlerOptions, exchange: Exchange): Promise<Settled> {
  try {
    return { answer: await answerTo(options, exchange), compressible: true };
  } catch (error) {
    return refusal(error, options);
  }
}

function answerTo(options: RestHandlerOptions, exchange: Exchange): Answer | Promise<Answer> {
  const { incoming, outgoing, target, match } = exchange;
  if (incoming.method === 'OPTIONS') return preflight(options, exchange);
  if (match.kind === 'unknown') throw new TransportRefusal(404, 'Not Found');
  if (match.kind === 'wrong-method') throw new TransportRefusal(405, 'Method Not Allowed', { allow: match.allow });
  admit(options, incoming, match.route);
  options.checkQuery?.(match.route, target.query);
  const parameters = bindParameters(match.route, match.values, target);
  return match.route.handle(parameters, restRequest(options, { incoming, outgoing, route: match.route }));
}

/** Whether a page of any origin may read the answer. For a preflight, the method that it asks about decides. */
function isForPages({ router }: RestHandlerOptions, { method, headers }: IncomingMessage, match: Match, path = '') {
  const asked = method === 'OPTIONS' ? router.find(headers['access-control-request-method'] ?? '', path) : match;
  return asked.kind !== 'route' || asked.route.access !== 'loopback';
}

function preflight(
  { privateNetwork, tokenHeader }: RestHandlerOptions,
  { incoming, match, forPages }: Exchange,
): Answer {
  if (!forPages) throw new TransportRefusal(403, NOT_FOR_PAGES);
  const { headers } = incoming;
  const allow = match.kind === 'wrong-method' && match.allow !== 'OPTIONS' ? match.allow : undefined;
  return { ...emptyAnswer(204), headers: preflightHeaders(headers, { allow, privateNetwork, tokenHeader }) };
}

/** The checks before a route's own: the body's declared length, then the token. */
function admit({ authenticate, host }: RestHandlerOptions, incoming: IncomingMessage, route: Route): void {
  const { access, maxBodyBytes = MAX_BODY_BYTES } = route;
  const limited = access !== 'open' && access !== 'admin';
  if (limited && Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) {
    throw new TransportRefusal(413, 'Request Entity Too Large');
  }
  if (access === 'program') refusePage(incoming);
  if (access === 'loopback') refuseAllButLocalPrograms(incoming, host);
  if (!authenticate(access, incoming.headers)) throw new TransportRefusal(401, 'Invalid API Token');
}

function bindParameters(
  { parameters }: Route,
  values: ReadonlyMap<string, string>,
  { query }: RequestTarget,
): Bound<Parameters> {
  const bound: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const given = parameter.in === 'query' ? (query.get(name) ?? []) : [percentDecode(values.get(name) ?? '') ?? ''];
    bound[name] = parameter.bind(name, given);
  }
  return bound;
}

function restRequest(
  { bodies }: RestHandlerOptions,
  {
    incoming,
    outgoing,
    route,
  }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse; readonly route: Route },
): RestRequest {
  let body: Promise<RequestBody> | undefined;
  return {
    body: () => (body ??= bodies.read(incoming, route.maxBodyBytes ?? MAX_BODY_BYTES)),
    get signal() {
      const gone = new AbortController();
      const { socket } = incoming;
      const abort = (): void => {
        socket.off('end', abort);
        // After the answer nothing listens any more, and an abort is costly: it creates an error with its stack.
        if (!outgoing.writableEnded) gone.abort();
      };
      socket.once('end', abort);
      outgoing.once('close', abort);
      return gone.signal;
    },
  };
}

function refusal(error: unknown, { onInternalError }: Pick<RestHandlerOptions, 'onInternalError'>): Settled {
  if (error instanceof TransportRefusal) {
    const { status, message, headers } = error;
    return { answer: { status, json: { message }, headers }, compressible: false };
  }
  if (error instanceof DevnodeError) {
    const { status, message, data } = error;
    return { answer: { status, json: { data, message } }, compressible: true };
  }
  onInternalError(error);
  return { answer: { status: 500, json: { message: 'Internal Server Error' } }, compressible: false };
}
