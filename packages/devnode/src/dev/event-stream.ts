import type { AnswerStream } from '../rest/answer.ts';
import { route, type Route } from '../rest/route.ts';
import type { DevEvent, EventListener, Events } from './events.ts';

export const EVENTS_PATH = '/dev/events';

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
    route({
      method: 'GET',
      path: EVENTS_PATH,
      access: 'loopback',
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

const EVENT = /^event: (block|jump)\nid: (\d+)\ndata: (.*)$/;

/** Tells a listener of the events in the answer of `GET /dev/events`, until it ends or its connection is lost. */
export async function readEvents(body: ReadableStream<Uint8Array>, { onEvent, onEnd }: EventListener): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) {
      const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = parts.pop() ?? '';
      for (const event of parts.flatMap(parseEvent)) onEvent(event);
    }
  } catch {
    // Stopped or lost: in both cases nothing more will come.
  }
  onEnd();
}

function parseEvent(text: string): DevEvent[] {
  const [, kind, round, json] = EVENT.exec(text) ?? [];
  if ((kind !== 'block' && kind !== 'jump') || round === undefined || json === undefined) return [];
  return [{ kind, round: BigInt(round), json }];
}
