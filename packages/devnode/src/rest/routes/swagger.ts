import { packageVersion } from '../../version.ts';
import { jsonAnswer, type Answer } from '../answer.ts';
import type { Parameter } from '../parameter.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';

/** The table of routes, described in Swagger 2. */
export function swaggerRoutes(routes: readonly Route[]): Route[] {
  const own: Route = route({
    // Differs from algod: own-swagger
    path: '/swagger.json',
    access: 'open',
    summary: 'This description.',
    handle: (): Answer => jsonAnswer(swaggerDocument([...routes, own])),
  });
  return [own];
}

function swaggerDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const described of routes) {
    const path = described.path.replaceAll(/:([\w-]+)/g, '{$1}');
    paths[path] = { ...paths[path], [described.method.toLowerCase()]: operation(described) };
  }
  return {
    swagger: '2.0',
    info: {
      title: 'avm402 development node',
      description: 'algod’s REST interface, and developer controls under /dev on loopback.',
      version: packageVersion(),
    },
    consumes: ['application/json'],
    produces: ['application/json', 'application/msgpack'],
    paths,
    securityDefinitions: { api_key: { type: 'apiKey', in: 'header', name: 'X-Algo-API-Token' } },
  };
}

function operation({ access, summary, parameters, body }: Route): Json {
  const described = Object.entries(parameters).map(([name, parameter]) => parameterJson(name, parameter));
  const bodyJson = { name: 'body', in: 'body', required: true, schema: { type: 'string', format: 'binary' } };
  return {
    summary,
    ...(body !== undefined && { consumes: [body] }),
    parameters: body === undefined ? described : [...described, bodyJson],
    responses: {
      200: { description: 'The answer.' },
      default: {
        description: 'What was wrong.',
        schema: { type: 'object', properties: { message: { type: 'string' } } },
      },
    },
    security: access === 'open' ? [] : [{ api_key: [] }],
    'x-access': access,
  };
}

function parameterJson(name: string, { in: place, type, required, description }: Parameter<unknown>): Json {
  return {
    name,
    in: place,
    required,
    description,
    type,
    ...(type === 'array' && { items: { type: 'string' }, collectionFormat: 'csv' }),
    ...(type === 'integer' && { format: 'int64' }),
  };
}
