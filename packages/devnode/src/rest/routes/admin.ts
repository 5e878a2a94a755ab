import type { AlgodConfig } from '../algod-config.ts';
import { DevnodeError, refused } from '../../errors.ts';
import { jsonAnswer, textAnswer } from '../answer.ts';
import { pathText, queryInt64, queryUint64 } from '../parameter.ts';
import { route, type Method, type Route } from '../route.ts';

const CATCHPOINT_LABEL = /^\d+#[A-Z2-7]{52}$/;
const NOT_ON_ARCHIVES = 'failed to start catchup : catching up using a catchpoint is not supported on archive nodes';

/** Routes that operate the node, behind the admin token; most have no meaning on a development node. */
export function adminRoutes(config: AlgodConfig): Route[] {
  return [
    // A node that keeps all blocks never catches up from a catchpoint.
    catchupRoute('POST', 'Starts to catch up from a catchpoint: not supported by this node.', config.Archival),
    catchupRoute('DELETE', 'Stops catching up from a catchpoint: not supported by this node.', false),
    shutdownRoute('/v2/shutdown'),
    shutdownRoute('/v2/node/shutdown'),
    route({
      path: '/v2/node/peers',
      access: 'admin',
      summary: 'Peers of the node: none.',
      handle: () => jsonAnswer({ Peers: [] }),
    }),
    route({
      path: '/debug/settings/config',
      access: 'admin',
      summary: 'The node’s configuration.',
      handle: () => jsonAnswer({ ...config }),
    }),
    ...profilerRoutes(),
  ];
}

function profilerRoutes(): Route[] {
  const path = '/debug/settings/pprof';
  return [
    route({
      path,
      access: 'admin',
      summary: 'Rates of the profiler, which is off.',
      handle: () => jsonAnswer({ 'block-rate': 0, 'mutex-rate': 0 }),
    }),
    route({
      method: 'PUT',
      path,
      access: 'admin',
      summary: 'Sets rates of the profiler: not supported by this node.',
      body: 'application/json',
      async handle(_, request) {
        const { bytes } = await request.body();
        if (bytes.length === 0) throw refused('failed to decode object: EOF');
        // Differs from algod: no-profiler
        throw new DevnodeError('unsupported', 'this node has no profiler', { status: 501 });
      },
    }),
  ];
}

function catchupRoute(method: Method, summary: string, isRefused: boolean): Route {
  return route({
    method,
    path: '/v2/catchup/:catchpoint',
    access: 'admin',
    summary,
    parameters: { catchpoint: pathText('A catchpoint’s label.'), min: queryUint64('Rounds that it must be ahead.') },
    handle({ catchpoint }) {
      if (!CATCHPOINT_LABEL.test(catchpoint)) throw refused('failed to parse catchpoint');
      if (isRefused) throw new DevnodeError('internal', NOT_ON_ARCHIVES, { status: 500 });
      // Differs from algod: no-catchup
      throw new DevnodeError('unsupported', 'a development node has nothing to catch up with', { status: 501 });
    },
  });
}

function shutdownRoute(path: string): Route {
  return route({
    method: 'POST',
    path,
    access: 'admin',
    summary: 'Shuts the node down: algod does not implement it either.',
    parameters: { timeout: queryInt64('Seconds to wait.') },
    handle: () => textAnswer(501, 'Endpoint not implemented.'),
  });
}
