import type { Method, Route } from './route.ts';

/** The result of a look-up by method and path. */
export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'wrong-method'; readonly allow: string }
  | { readonly kind: 'unknown' };

export interface Router {
  /** @param path the request's path as it was sent, still percent-encoded, without a trailing slash. */
  find(method: string, path: string): Match;
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  readonly routes: Map<string, Route>;
}

/**
 * Builds a router with algod's rules: a fixed segment wins over a parameter, a parameter with nothing below it matches
 * the rest of the path, and a known path with a wrong method is distinguished from an unknown path.
 */
export function createRouter(routes: readonly Route[]): Router {
  const root = emptyNode();
  for (const route of routes) add(root, route);
  return {
    find(method, path) {
      if (path === '/') return { kind: 'wrong-method', allow: 'OPTIONS' };
      return descend({ method, segments: path.slice(1).split('/'), values: [] }, root, 0) ?? { kind: 'unknown' };
    },
  };
}

function emptyNode(): Node {
  return { fixed: new Map(), parameter: undefined, routes: new Map() };
}

function add(root: Node, route: Route): void {
  let node = root;
  for (const segment of route.path.slice(1).split('/')) {
    node = segment.startsWith(':') ? parameterChild(node, segment.slice(1)) : fixedChild(node, segment);
  }
  node.routes.set(route.method, route);
}

function fixedChild(node: Node, segment: string): Node {
  const child = node.fixed.get(segment) ?? emptyNode();
  node.fixed.set(segment, child);
  return child;
}

function parameterChild(node: Node, name: string): Node {
  node.parameter ??= { name, node: emptyNode() };
  return node.parameter.node;
}

interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  /** The parameters matched on the way down, as name and raw text. */
  readonly values: (readonly [string, string])[];
}

function descend(search: Search, node: Node, depth: number): Match | undefined {
  if (depth === search.segments.length) return arrive(search, node);
  const segment = search.segments[depth] ?? '';
  const child = node.fixed.get(segment);
  const found = child && descend(search, child, depth + 1);
  if (found?.kind === 'route' || !node.parameter) return found;
  return descendParameter(search, node.parameter, depth) ?? found;
}

function descendParameter(
  search: Search,
  { name, node }: NonNullable<Node['parameter']>,
  depth: number,
): Match | undefined {
  const takesRest = node.fixed.size === 0 && !node.parameter;
  const text = takesRest ? search.segments.slice(depth).join('/') : (search.segments[depth] ?? '');
  if (text === '' && depth === search.segments.length - 1) return undefined;
  search.values.push([name, text]);
  const found = descend(search, node, takesRest ? search.segments.length : depth + 1);
  search.values.pop();
  return found;
}

function arrive(search: Search, node: Node): Match | undefined {
  const route = node.routes.get(search.method);
  if (route) return { kind: 'route', route, values: new Map(search.values) };
  return node.routes.size > 0 ? { kind: 'wrong-method', allow: allowed(node) } : undefined;
}

// The order in which algod's router lists methods.
const ORDER: readonly Method[] = ['DELETE', 'GET', 'POST', 'PUT'];

function allowed(node: Node): string {
  return ['OPTIONS', ...ORDER.filter((method) => node.routes.has(method))].join(', ');
}
