import { DevnodeError } from '../../errors.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import { devRoute } from './dev-route.ts';

const MAX_STATE_BYTES = 200_000_000;
const STATE_TYPE = 'application/octet-stream';

/** The node's state as a file, for this machine only. */
export function fileControlRoutes(controls: DevControls): Route[] {
  return [
    devRoute({
      method: 'GET',
      path: '/dev/dump',
      summary: 'All of the node’s state as a file: accounts, assets, blocks, clock.',
      handle: async () => ({ status: 200, contentType: STATE_TYPE, body: await controls.dump() }),
    }),
    devRoute({
      method: 'POST',
      path: '/dev/load',
      summary: 'Goes on where the node was that wrote a state file of the same genesis.',
      body: STATE_TYPE,
      maxBodyBytes: MAX_STATE_BYTES,
      async handle(_, request) {
        const { bytes, cut } = await request.body();
        if (cut) throw new DevnodeError('refused', `more than ${MAX_STATE_BYTES} bytes: start the node with --load`);
        return jsonAnswer({ 'last-round': await controls.load(bytes) });
      },
    }),
  ];
}
