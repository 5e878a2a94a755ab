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

/** How often a line is written that says nothing: clients, and what is between, give up a connection that is silent. */
const HEARTBEAT_MS = 15_000;

/** What happens to the chain, as server-sent events. */
export function eventRoutes(source: EventSource, { heartbeatMs = HEARTBEAT_MS } = {}): Route[] {
  return [
    devRoute({
      method: 'GET',
      path: '/dev/events',
      summary: 'A stream of server-sent events: every block with what it changed, and every jump of the chain.',
      handle: () => ({
        status: 200,
        contentType: 'text/event-stream',
        begin: (stream) => tellAll(source, stream, heartbeatMs),
      }),
    }),
  ];
}

/** Writes each event once it is kept, until what comes back is called. */
function tellAll(source: EventSource, stream: AnswerStream, heartbeatMs: number): () => void {
  let open = true;
  const beat = setInterval(() => stream.write(': still here\n\n'), heartbeatMs);
  const close = (): void => {
    open = false;
    clearInterval(beat);
  };
  const end = (): void => {
    if (open) stream.end();
    close();
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
    close();
    stop();
  };
}

function serverSent({ kind, round, json }: DevEvent): string {
  // A line break in JSON stands between its tokens only.
  return `event: ${kind}\nid: ${round}\ndata: ${json.replaceAll(/\n */g, '')}\n\n`;
}
