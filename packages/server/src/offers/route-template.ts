import type { RoutePattern } from '../routes/route-pattern.ts';

/** A route's path as catalogues write it (`/weather/:city`), and the values of its parameters in one request. */
export interface RouteTemplate {
  readonly routeTemplate: string;
  readonly pathParams: Readonly<Record<string, string>>;
}

/** Characters; the values of a longer path would blow up the offer's header. */
const MAX_PATH_LENGTH = 512;

const PARAMETER = /:([a-z_][a-z0-9_]*)/gi;

/**
 * The template of a route with parameters; undefined for a fixed path, and for one that is only wildcards. A wildcard
 * segment becomes `:var1`, `:var2`, … as upstream's bazaar extension has it.
 */
export function routeTemplate(route: Pick<RoutePattern, 'path'>, path: string): RouteTemplate | undefined {
  let wildcards = 0;
  const segments = route.path
    .replaceAll(/\[([^\]/]+)\]/g, ':$1')
    .split('/')
    .map((segment) => (/^\*\w*$/.test(segment) ? `:var${++wildcards}` : segment));
  const template = segments.join('/');
  const isOnlyWildcards = /^(\/?:var\d+)+$/.test(template) && wildcards > 0;
  const names = [...template.matchAll(PARAMETER)].map(([, name]) => name ?? '');
  if (names.length === 0 || isOnlyWildcards) return undefined;
  return { routeTemplate: template, pathParams: parameters(template, names, path) };
}

function parameters(template: string, names: readonly string[], path: string): Record<string, string> {
  if (path.length > MAX_PATH_LENGTH) return {};
  const source = template.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(PARAMETER, '([^/]+)');
  const values = new RegExp(`^${source}/?$`, 'i').exec(path)?.slice(1) ?? [];
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}
