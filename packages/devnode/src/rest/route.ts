import type { Answer } from './answer.ts';
import type { Bound, Parameters } from './parameter.ts';
import type { RestRequest } from './rest-request.ts';

/**
 * Who may call a route: `open` anybody; `public` a holder of the API or admin token; `admin` of the admin token;
 * `program` a holder of either token that is no web page; `loopback` such a program on this machine.
 */
export type Access = 'open' | 'public' | 'program' | 'admin' | 'loopback';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One route of the table. A last `:parameter` with no longer route below it takes the rest of the path. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  /** In the order in which they are bound. */
  readonly parameters: Parameters;
  /** What the request's body holds; absent: a body is not looked at. */
  readonly body?: string;
  /** The most that its body may hold, in bytes. Default: algod's limit of public routes. */
  readonly maxBodyBytes?: number;
  handle(parameters: Bound<Parameters>, request: RestRequest): Answer | Promise<Answer>;
}

/** Declares a route; its handler gets its parameters bound and typed. */
export function route<const P extends Parameters>(declared: RouteDeclaration<P>): Route {
  return { access: 'public', parameters: {}, ...declared };
}

export interface RouteDeclaration<P extends Parameters> extends Omit<Route, 'access' | 'parameters' | 'handle'> {
  readonly access?: Access;
  readonly parameters?: P;
  handle(parameters: Bound<P>, request: RestRequest): Answer | Promise<Answer>;
}
