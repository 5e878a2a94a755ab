import type { DevClock } from '../../production/dev-clock.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';

/** Timestamps of development mode. */
export function devmodeRoutes(clock: DevClock): Route[] {
  return [
    route({
      path: '/v2/devmode/blocks/offset',
      summary: 'Seconds between the timestamps of two blocks.',
      handle: () => jsonAnswer({ offset: clock.offset }),
    }),
    route({
      method: 'POST',
      path: '/v2/devmode/blocks/offset/:offset',
      access: 'program',
      summary: 'Sets the seconds between the timestamps of two blocks.',
      parameters: { offset: pathUint64('Seconds.') },
      handle({ offset }) {
        clock.offset = offset;
        return emptyAnswer();
      },
    }),
  ];
}
