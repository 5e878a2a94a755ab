import { encodeBase64 } from '@avm402/algorand/base64';
import type { Queries } from '../../queries/queries.ts';
import { packageVersion } from '../../version.ts';
import { jsonAnswer, writtenJsonAnswer } from '../answer.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';

/** The version of algod that this node behaves like. */
const ALGOD_VERSION = { major: 5, minor: 0, build: 0 };

/** Routes that need no token. */
export function commonRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/health',
      access: 'open',
      summary: 'Whether the node answers.',
      handle: () => jsonAnswer(null),
    }),
    route({
      // Differs from algod: ready-when-idle
      path: '/ready',
      access: 'open',
      summary: 'Whether the node is ready to take requests: always.',
      handle: () => jsonAnswer(null),
    }),
    route({
      path: '/versions',
      access: 'open',
      summary: 'Versions of interface, genesis and node.',
      handle: () => jsonAnswer(versionsJson(queries)),
    }),
    route({
      path: '/genesis',
      access: 'open',
      summary: 'The genesis, as the JSON with which the node was started.',
      handle: () => writtenJsonAnswer(queries.genesisJson),
    }),
  ];
}

function versionsJson(queries: Queries): Json {
  return {
    versions: ['v2'],
    genesis_id: queries.genesisId,
    genesis_hash_b64: encodeBase64(queries.genesisHash),
    build: {
      major: ALGOD_VERSION.major,
      minor: ALGOD_VERSION.minor,
      build_number: ALGOD_VERSION.build,
      commit_hash: '',
      branch: '',
      channel: `avm402-devnode ${packageVersion()}`,
    },
  };
}

/** Answers that experimental routes exist. */
export function experimentalRoutes(): Route[] {
  return [
    route({
      path: '/v2/experimental',
      summary: 'True: the experimental routes are on.',
      handle: () => jsonAnswer(true),
    }),
  ];
}
