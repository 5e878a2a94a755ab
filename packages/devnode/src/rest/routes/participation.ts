import { DevnodeError, notFound, refused } from '../../errors.ts';
import { jsonAnswer } from '../answer.ts';
import { pathAddress, pathText, queryUint64, required } from '../parameter.ts';
import { route, type Route } from '../route.ts';

const id = pathText('Id of a participation key, in base32.');

/** Participation keys. A development node does not participate in consensus, so it has none. */
export function participationRoutes(): Route[] {
  return [...keyListRoutes(), ...keyRoutes()];
}

function keyListRoutes(): Route[] {
  return [
    route({
      path: '/v2/participation',
      access: 'admin',
      summary: 'Participation keys that the node holds: none.',
      handle: () => jsonAnswer(null),
    }),
    route({
      method: 'POST',
      path: '/v2/participation',
      access: 'admin',
      summary: 'Installs a participation key: not supported by this node.',
      body: 'application/msgpack',
      async handle(_, request) {
        const { bytes } = await request.body();
        if (bytes.length === 0) throw refused('payload was of zero length');
        return unsupported();
      },
    }),
    route({
      method: 'POST',
      path: '/v2/participation/generate/:address',
      access: 'admin',
      summary: 'Generates a participation key: not supported by this node.',
      parameters: {
        address: pathAddress(),
        dilution: queryUint64('Rounds signed with one second-level key.'),
        first: required(queryUint64('First round of the key.')),
        last: required(queryUint64('Last round of the key.')),
      },
      handle: unsupported,
    }),
  ];
}

function keyRoutes(): Route[] {
  return [
    route({
      path: '/v2/participation/:participation-id',
      access: 'admin',
      summary: 'One participation key.',
      parameters: { 'participation-id': id },
      handle(parameters) {
        parseKeyId(parameters['participation-id']);
        throw new DevnodeError('internal', 'the participation ID was not found', { status: 500 });
      },
    }),
    route({
      method: 'POST',
      path: '/v2/participation/:participation-id',
      access: 'admin',
      summary: 'Adds state proof keys to a participation key: not supported by this node.',
      parameters: { 'participation-id': id },
      body: 'application/msgpack',
      async handle(parameters, request) {
        parseKeyId(parameters['participation-id']);
        const { bytes } = await request.body();
        if (bytes.length === 0) throw refused('unable to parse keys from body: EOF');
        return unsupported();
      },
    }),
    route({
      method: 'DELETE',
      path: '/v2/participation/:participation-id',
      access: 'admin',
      summary: 'Deletes a participation key.',
      parameters: { 'participation-id': id },
      handle(parameters) {
        parseKeyId(parameters['participation-id']);
        throw notFound('participation id not found');
      },
    }),
  ];
}

/** Length in base32 of the 32 bytes of an id. */
const KEY_ID_LENGTH = 52;

function parseKeyId(text: string): void {
  const bad = text.search(/[^A-Z2-7]/);
  if (bad !== -1) throw refused(`illegal base32 data at input byte ${bad}`);
  if (text.length === KEY_ID_LENGTH) return;
  throw refused(`attempted to decode a string which was not a participation id: "${text}"`);
}

function unsupported(): never {
  // Differs from algod: no-participation
  throw new DevnodeError('unsupported', 'this node does not participate in consensus and keeps no participation keys', {
    status: 501,
  });
}
