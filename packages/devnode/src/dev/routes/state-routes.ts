import { document } from '../../codec/document.ts';
import { emptyAnswer, jsonAnswer, writtenJsonAnswer } from '../../rest/answer.ts';
import { pathUint64 } from '../../rest/parameter.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import { devState } from '../schema.ts';
import { devRoute } from './dev-route.ts';

/** What controls have done, and the ways back. */
export function stateControlRoutes(controls: DevControls): Route[] {
  return [
    devRoute({
      method: 'GET',
      path: '/dev/state',
      summary: 'All that controls have set and changed.',
      handle: async () => writtenJsonAnswer(document(devState, await controls.state()).toJson()),
    }),
    devRoute({
      method: 'POST',
      path: '/dev/reset',
      summary: 'Puts everything back as it was when the node started.',
      async handle() {
        await controls.reset();
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/snapshot',
      summary: 'Remembers chain, pool and clock.',
      handle: async () => jsonAnswer({ id: await controls.snapshot() }),
    }),
    devRoute({
      method: 'POST',
      path: '/dev/revert/:id',
      summary: 'Returns to a snapshot, which stays; those taken after it are gone.',
      parameters: { id: pathUint64('The snapshot’s id.') },
      handle: async ({ id }) => jsonAnswer({ 'last-round': await controls.revert(Number(id)) }),
    }),
  ];
}
