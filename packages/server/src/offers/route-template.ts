import { foldCase } from '../routes/path-matcher.ts';
import type { RoutePattern } from '../routes/route-pattern.ts';

/** A route's path as catalogues write it (`/weather/:city`), and the values of its parameters in one request. */
export interface RouteTemplate {
  readonly routeTemplate: string;
  readonly pathParams: Readonly<Record<string, string>>;
}

/** In characters; the values of a longer path would inflate the offer's header. */
const MAX_PATH_LENGTH = 512;

const PARAMETER = /:[a-z_][a-z0-9_]*/gi;

/**
 * The template of a route with parameters. Undefined for a fixed path, and for one of wildcards only. A wildcard
 * segment becomes `:var1`, `:var2`, …, as in upstream's bazaar extension.
 */
export function routeTemplate(route: Pick<RoutePattern, 'path'>, path: string): RouteTemplate | undefined {
  let wildcards = 0;
  const segments = route.path
    .replaceAll(/\[([^\]/]+)\]/g, ':$1')
    .split('/')
    .map((segment) => (/^\*\w*$/.test(segment) ? `:var${++wildcards}` : segment));
  const template = segments.join('/');
  const isOnlyWildcards = /^(\/?:var\d+)+$/.test(template) && wildcards > 0;
  const names = (template.match(PARAMETER) ?? []).map((name) => name.slice(1));
  if (names.length === 0 || isOnlyWildcards) return undefined;
  return { routeTemplate: template, pathParams: parameters(template, names, path) };
}

function parameters(template: string, names: readonly string[], path: string): Record<string, string> {
  if (path.length > MAX_PATH_LENGTH) return {};
  const pieces = segmentsOf(template);
  const segments = segmentsOf(path);
  const values = pieces.map((piece, index) => segmentValues(piece, segments[index] ?? ''));
  if (pieces.length !== segments.length || values.includes(undefined)) return {};
  return Object.fromEntries(values.flatMap((found) => found ?? []).map((value, index) => [names[index] ?? '', value]));
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/(.)\/$/, '$1').split('/');
}

/**
 * The values in a segment of a template; undefined if the segment does not match. The first value is as long as it can
 * be: the text between parameters is searched from the end, which leaves the most to earlier ones, so there is no
 * second try.
 */
function segmentValues(piece: string, segment: string): readonly string[] | undefined {
  const [last = '', ...literals] = foldCase(piece).split(PARAMETER).toReversed();
  const folded = foldCase(segment);
  if (literals.length === 0) return folded === last ? [] : undefined;
  if (!folded.startsWith(literals.at(-1) ?? '') || !folded.endsWith(last)) return undefined;
  const values: string[] = [];
  let end = folded.length - last.length;
  for (const [index, literal] of literals.entries()) {
    const at = index === literals.length - 1 ? 0 : folded.lastIndexOf(literal, end - literal.length - 1);
    if (at === -1 || at + literal.length >= end) return undefined;
    values.unshift(segment.slice(at + literal.length, end));
    end = at;
  }
  return values;
}
