import { X402Error } from './errors.ts';
import { membersIn, type UnknownMembers } from './unknown-json.ts';

/** Key of the extension in `extensions` (x402 extensions/bazaar). */
export const BAZAAR = 'bazaar';

const QUERY_METHODS = ['GET', 'HEAD', 'DELETE'] as const;
const BODY_METHODS = ['POST', 'PUT', 'PATCH'] as const;
const BODY_TYPES = ['json', 'form-data', 'text'] as const;

export interface DiscoveryDeclaration {
  /** Filled in by the middleware at request time when absent. */
  readonly method?: (typeof QUERY_METHODS)[number] | (typeof BODY_METHODS)[number];
  /** Media type of the body; when absent, the input is query parameters. */
  readonly bodyType?: (typeof BODY_TYPES)[number];
  /** Example of the query parameters or the body. */
  readonly input?: unknown;
  /** JSON Schema of the input. */
  readonly inputSchema?: UnknownMembers;
  readonly output?: { readonly example?: unknown; readonly schema?: UnknownMembers };
}

/** The facts about a resource for catalogues: an example, and the JSON Schema of that example. */
export interface DiscoveryExtension {
  readonly info: { readonly input: UnknownMembers; readonly output?: UnknownMembers };
  readonly schema: UnknownMembers;
}

/**
 * Declares a route for discovery; the result goes into the route's `extensions`. It has the wire form of upstream's
 * bazaar extension.
 * @throws X402Error `invalid_discovery`
 */
export function declareDiscovery(declaration: DiscoveryDeclaration = {}): { readonly [BAZAAR]: DiscoveryExtension } {
  const { method, bodyType, output } = declaration;
  const methods: readonly string[] = bodyType === undefined ? QUERY_METHODS : BODY_METHODS;
  if (method !== undefined && !methods.includes(method)) {
    const needed = bodyType === undefined ? 'needs a bodyType' : 'takes no body';
    throw new X402Error('invalid_discovery', { message: `the method ${method} ${needed}` });
  }
  const input = bodyType === undefined ? queryInput(declaration) : bodyInput(declaration, bodyType);
  const info = {
    input: { type: 'http', ...(method && { method }), ...input.example },
    ...(output?.example !== undefined && { output: { type: 'json', example: output.example } }),
  };
  return { [BAZAAR]: { info, schema: declarationSchema(methods, input, output) } };
}

interface InputPart {
  readonly example: UnknownMembers;
  readonly properties: UnknownMembers;
  readonly required: readonly string[];
}

function queryInput({ input, inputSchema }: DiscoveryDeclaration): InputPart {
  return {
    example: { queryParams: input ?? {} },
    properties: { queryParams: { type: 'object', ...(inputSchema ?? { properties: {} }) } },
    required: [],
  };
}

function bodyInput({ input, inputSchema }: DiscoveryDeclaration, bodyType: string): InputPart {
  return {
    example: { bodyType, body: input ?? {} },
    properties: { bodyType: { type: 'string', enum: BODY_TYPES }, body: inputSchema ?? {} },
    required: ['bodyType', 'body'],
  };
}

function declarationSchema(
  methods: readonly string[],
  input: InputPart,
  output: DiscoveryDeclaration['output'],
): UnknownMembers {
  const outputSchema = {
    type: 'object',
    properties: { type: { type: 'string' }, example: { type: 'object', ...output?.schema } },
    required: ['type'],
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: methods },
          ...input.properties,
        },
        required: ['type', 'method', ...input.required],
        additionalProperties: false,
      },
      ...(output?.example !== undefined && { output: outputSchema }),
    },
    required: ['input'],
  };
}

export interface DiscoveryRequest {
  readonly method: string;
  /** The route's template when it has parameters, for example `/weather/:city`. */
  readonly routeTemplate?: string;
  readonly pathParams?: Readonly<Record<string, string>>;
}

/**
 * Completes a declaration with what only the request knows: its method and its path parameters. Accepts upstream's
 * declarations too; anything else (an MCP tool) stays as it is.
 */
export function completeDiscovery(declared: unknown, request: DiscoveryRequest): unknown {
  const { info, schema } = membersIn(declared);
  const input = membersIn(membersIn(info)['input']);
  if (input['type'] !== 'http') return declared;
  const { method, routeTemplate, pathParams } = request;
  const path = routeTemplate === undefined ? {} : { pathParams: pathParams ?? {} };
  return {
    ...membersIn(declared),
    ...(routeTemplate !== undefined && { routeTemplate }),
    info: { ...membersIn(info), input: { ...input, method, ...path } },
    schema: completeSchema(membersIn(schema), method, routeTemplate !== undefined),
  };
}

function completeSchema(schema: UnknownMembers, method: string, hasPathParams: boolean): UnknownMembers {
  const properties = membersIn(schema['properties']);
  const input = membersIn(properties['input']);
  const required = Array.isArray(input['required']) ? input['required'] : [];
  const completed = {
    ...input,
    properties: {
      ...(hasPathParams && { pathParams: { type: 'object' } }),
      ...membersIn(input['properties']),
      method: { type: 'string', enum: [method] },
    },
    required: required.includes('method') ? required : [...required, 'method'],
  };
  return { ...schema, properties: { ...properties, input: completed } };
}
