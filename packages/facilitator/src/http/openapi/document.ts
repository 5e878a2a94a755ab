import { type Answer, type Operation, OPERATIONS } from './operations.ts';
import { componentSchemas, type DocumentedParameter, queryParameters } from './schemas.ts';

/** A document of OpenAPI 3.1. */
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

/**
 * Answers that any route may give: bounds are for all callers together, and a request may come while the process ends.
 */
const ALWAYS: readonly Answer[] = [
  { status: 429, description: 'More was asked for in a minute than is allowed; see Retry-After', schema: 'Error' },
  { status: 503, description: 'Trouble of the facilitator’s own; see Retry-After', schema: 'Error' },
];

/** The document of those routes that an app has. */
export function openApiDocument(routes: ReadonlySet<string>, version: string): OpenApiDocument {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of OPERATIONS.filter(({ route }) => routes.has(route))) {
    const path = operation.route.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: documented(operation) };
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

function documented(operation: Operation): DocumentedOperation {
  const { summary, body, needs, answers } = operation;
  // A status that the route answers in its own way stays as the route has it.
  const all = [...ALWAYS.filter(({ status }) => answers.every((one) => one.status !== status)), ...answers];
  const responses = all.map((answer) => [
    String(answer.status),
    { description: answer.description, ...contentOf(answer) },
  ]);
  return {
    summary,
    parameters: parametersOf(operation),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: refTo(body) } } },
    }),
    responses: Object.fromEntries(responses),
    // Where nobody has a key, none is needed.
    ...(needs !== undefined && { security: needs === 'operator' ? [{ key: [] }] : [{}, { key: [] }] }),
  };
}

function parametersOf({ route, query, headers = {} }: Operation): DocumentedParameter[] {
  const text = { type: 'string' };
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
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
