import type { Answer } from './answer.ts';
import type { Bound, Parameters } from './parameter.ts';
import type { RequestBody } from './request-body.ts';

/**
 * Who may call a route: `open` anybody; `public` a holder of the API or admin token; `admin` a holder of the admin
 * token; `program` a holder of either token that is not a web page; `loopback` such a program on this machine.
 */
export type Access = 'open' | 'public' | 'program' | 'admin' | 'loopback';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The parts of a request that a route's handler sees, besides its bound parameters. */
export interface RestRequest {
  /** Reads the body, up to the route's limit; later calls give the same. */
  body(): Promise<RequestBody>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** One route of the table. A final `:parameter` matches the rest of the path if no longer route continues it. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  /** In the order in which they are bound. */
  readonly parameters: Parameters;
  /** The content type of the request's body; absent: bodies are ignored. */
  readonly body?: string;
  /** The size limit of its body, in bytes. Default: algod's limit for public routes. */
  readonly maxBodyBytes?: number;
  handle(parameters: Bound<Parameters>, request: RestRequest): Answer | Promise<Answer>;
}

/** Declares a route; its handler gets its parameters bound and typed. */
export function route<const P extends Parameters>(declared: RouteDeclaration<P>): Route {
  return { method: 'GET', access: 'public', parameters: {}, ...declared };
}

export interface RouteDeclaration<P extends Parameters> extends Omit<
  Route,
  'method' | 'access' | 'parameters' | 'handle'
> {
  /** Default GET. */
  readonly method?: Method;
  readonly access?: Access;
  readonly parameters?: P;
  handle(parameters: Bound<P>, request: RestRequest): Answer | Promise<Answer>;
}
