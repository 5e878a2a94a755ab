import type { Route } from '../../rest/route.ts';
import type { DevEvent, Events } from '../events.ts';
import { devRoute } from './dev-route.ts';

/** What happens to the chain, as server-sent events. */
export function eventRoutes(events: Events): Route[] {
  return [
    devRoute({
      method: 'GET',
      path: '/dev/events',
      summary: 'A stream of server-sent events: every block with what it changed, and every jump of the chain.',
      handle: () => ({
        status: 200,
        contentType: 'text/event-stream',
        begin: (stream) =>
          events.listen({ onEvent: (event) => stream.write(serverSent(event)), onEnd: () => stream.end() }),
      }),
    }),
  ];
}

function serverSent({ kind, round, json }: DevEvent): string {
  // A line break in JSON stands between its tokens only.
  return `event: ${kind}\nid: ${round}\ndata: ${json.replaceAll(/\n */g, '')}\n\n`;
}
