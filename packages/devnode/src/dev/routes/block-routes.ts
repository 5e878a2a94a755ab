import { DevnodeError } from '../../errors.ts';
import { emptyAnswer, jsonAnswer } from '../../rest/answer.ts';
import { pathText, pathUint64, queryUint64 } from '../../rest/parameter.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import { devRoute } from './dev-route.ts';

/** Rounds that one request may make. */
const MAX_MINED_ROUNDS = 10_000n;

/** When blocks are made, and of what. */
export function blockControlRoutes(controls: DevControls): Route[] {
  return [
    devRoute({
      method: 'POST',
      path: '/dev/mine',
      summary: 'Makes blocks of what is in the pool, the later ones empty.',
      parameters: { rounds: queryUint64(`How many, 1 (default) to ${MAX_MINED_ROUNDS}.`) },
      async handle({ rounds = 1n }) {
        if (rounds < 1n || rounds > MAX_MINED_ROUNDS) {
          throw new DevnodeError('refused', `rounds must be 1 to ${MAX_MINED_ROUNDS}, not ${rounds}`);
        }
        return jsonAnswer({ 'last-round': await controls.mine(Number(rounds)) });
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/pause',
      summary: 'Makes no more blocks but those of /dev/mine: what is submitted waits in the pool.',
      async handle() {
        await controls.pause();
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/resume',
      summary: 'Ends a pause; with instant blocks, what waits gets its block at once.',
      async handle() {
        await controls.resume();
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/time/set/:timestamp',
      summary: 'Sets the next block’s timestamp; the node’s clock goes on from there.',
      parameters: { timestamp: pathUint64('Seconds since 1970.') },
      async handle({ timestamp }) {
        await controls.setTime(Number(timestamp));
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/time/increase/:seconds',
      summary: 'Moves the next block’s timestamp on, and the node’s clock with it; answers that timestamp.',
      parameters: { seconds: pathUint64('Seconds.') },
      handle: async ({ seconds }) => jsonAnswer({ timestamp: await controls.increaseTime(Number(seconds)) }),
    }),
    devRoute({
      method: 'POST',
      path: '/dev/drop/:txid',
      summary: 'Takes a transaction out of the pool, and its group with it, as if it had never come.',
      parameters: { txid: pathText('A transaction id, 52 characters.') },
      handle: async ({ txid }) => jsonAnswer({ dropped: await controls.drop(txid) }),
    }),
  ];
}
