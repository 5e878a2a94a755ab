import type { AnswerStream } from '../../rest/answer.ts';
import type { Route } from '../../rest/route.ts';
import type { DevEvent, Events } from '../events.ts';
import { devRoute } from './dev-route.ts';

/** What events come from. */
export interface EventSource {
  readonly events: Events;
  /** Waited for before an event is told: it must outlive the node. Undefined: it does already. */
  kept(): Promise<void> | undefined;
}

/** What happens to the chain, as server-sent events. */
export function eventRoutes(source: EventSource): Route[] {
  return [
    devRoute({
      method: 'GET',
      path: '/dev/events',
      summary: 'A stream of server-sent events: every block with what it changed, and every jump of the chain.',
      handle: () => ({
        status: 200,
        contentType: 'text/event-stream',
        begin: (stream) => tellAll(source, stream),
      }),
    }),
  ];
}

/** Writes each event once it is kept, until what comes back is called. */
function tellAll(source: EventSource, stream: AnswerStream): () => void {
  let open = true;
  const end = (): void => {
    if (open) stream.end();
    open = false;
  };
  const write = (event: DevEvent): void => {
    if (open) stream.write(serverSent(event));
  };
  const stop = source.events.listen({
    onEvent(event) {
      const kept = source.kept();
      if (kept === undefined) write(event);
      else void kept.then(() => write(event), end);
    },
    onEnd: end,
  });
  return () => {
    open = false;
    stop();
  };
}

function serverSent({ kind, round, json }: DevEvent): string {
  // A line break in JSON stands between its tokens only.
  return `event: ${kind}\nid: ${round}\ndata: ${json.replaceAll(/\n */g, '')}\n\n`;
}
