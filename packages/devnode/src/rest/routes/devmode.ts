import type { Controls } from '../../dev/controls.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';

/** Timestamps of development mode. */
export function devmodeRoutes(controls: Controls): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/devmode/blocks/offset',
      summary: 'Seconds between the timestamps of two blocks.',
      handle: () => jsonAnswer({ offset: controls.timestampOffset() }),
    }),
    route({
      method: 'POST',
      path: '/v2/devmode/blocks/offset/:offset',
      access: 'program',
      summary: 'Sets the seconds between the timestamps of two blocks.',
      parameters: { offset: pathUint64('Seconds.') },
      handle({ offset }) {
        controls.setTimestampOffset(offset);
        return emptyAnswer();
      },
    }),
  ];
}
