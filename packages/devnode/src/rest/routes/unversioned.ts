import { encodeBase64 } from '@avm402/algorand/base64';
import type { Node } from '../../node.ts';
import { packageVersion } from '../../version.ts';
import { jsonAnswer, writtenJsonAnswer } from '../answer.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';

/** Routes that need no token. */
export function commonRoutes(node: Node): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      access: 'open',
      summary: 'Whether the node answers.',
      handle: () => jsonAnswer(null),
    }),
    route({
      method: 'GET',
      // Differs from algod: ready-when-idle
      path: '/ready',
      access: 'open',
      summary: 'Whether the node is ready to take requests: always.',
      handle: () => jsonAnswer(null),
    }),
    route({
      method: 'GET',
      path: '/versions',
      access: 'open',
      summary: 'Versions of interface, genesis and node.',
      handle: () => jsonAnswer(versionsJson(node)),
    }),
    route({
      method: 'GET',
      path: '/genesis',
      access: 'open',
      summary: 'The genesis, as the JSON text that the node was started with.',
      handle: () => writtenJsonAnswer(node.genesisJson),
    }),
  ];
}

function versionsJson(node: Node): Json {
  return {
    versions: ['v2'],
    genesis_id: node.genesisId,
    genesis_hash_b64: encodeBase64(node.genesisHash),
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

/** The algod whose behaviour this node shows. */
const ALGOD_VERSION = { major: 5, minor: 0, build: 0 };
