import type { Answer, Operation } from './operation.ts';
import { componentSchemas, type DocumentedParameter, queryParameters } from './schemas.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object };
}

export interface DocumentedOperation {
  readonly summary: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
  readonly security?: readonly object[];
}

/** Answers that any route may give: some limits cover all callers together, and the process may end at any time. */
const ALWAYS: readonly Answer[] = [
  { status: 429, description: 'More requests came within a minute than are allowed; see Retry-After', schema: 'Error' },
  { status: 503, description: 'Trouble of the facilitator’s own; see Retry-After', schema: 'Error' },
];

/** A route of the app as fastify registered it. */
export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  /** The kind of key that it needs if callers have keys. */
  readonly needs: 'caller' | 'operator' | undefined;
  readonly operation: Operation;
}

/** The document that describes an app's routes. */
export function openApiDocument(routes: readonly DescribedRoute[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: documented(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'avm402 facilitator',
      version,
      description: 'Verifies and settles x402 payments on Algorand.',
    },
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'The key of a caller, where callers have keys' },
      },
    },
  };
}

function documented({ url, needs, operation }: DescribedRoute): DocumentedOperation {
  const { summary, body, answers } = operation;
  // If a route answers with this status in its own way, its own description stays.
  const all = [...ALWAYS.filter(({ status }) => answers.every((one) => one.status !== status)), ...answers];
  const responses = all.map((answer) => [
    String(answer.status),
    { description: answer.description, ...contentOf(answer) },
  ]);
  return {
    summary,
    parameters: parametersOf(url, operation),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: refTo(body) } } },
    }),
    responses: Object.fromEntries(responses),
    // No key is needed if nobody has one.
    ...(needs !== undefined && { security: needs === 'operator' ? [{ key: [] }] : [{}, { key: [] }] }),
  };
}

function parametersOf(url: string, { query, headers = {} }: Operation): DocumentedParameter[] {
  const text = { type: 'string' };
  const inPath = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }));
  const inHeaders = Object.entries({ ...headers, 'X-Request-Id': 'Names the request in every line of the log' });
  return [
    ...inPath,
    ...(query === undefined ? [] : queryParameters(query)),
    ...inHeaders.map(([name, description]) => ({ name, in: 'header', required: false, description, schema: text })),
  ];
}

function contentOf({ schema, media = [] }: Answer): { readonly content?: object } {
  const json = schema === undefined ? {} : { 'application/json': { schema: refTo(schema) } };
  const others = Object.fromEntries(media.map((type) => [type, {}]));
  return { content: { ...json, ...others } };
}

function refTo(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
