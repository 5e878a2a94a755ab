import type { AnswerStream } from '../rest/answer.ts';
import { route, type Route } from '../rest/route.ts';
import type { DevEvent, EventListener, Events } from './events.ts';

export const EVENTS_PATH = '/dev/events';

/** The source of events. */
export interface EventSource {
  readonly events: Events;
  /** Awaited before an event is sent, because what it reports must outlive the node. Undefined: it already does. */
  kept(): Promise<void> | undefined;
}

/** How often a comment line is sent, because clients and proxies give up silent connections. */
const HEARTBEAT_MS = 15_000;

/** Routes that report what happens to the chain, as server-sent events. */
export function eventRoutes(source: EventSource, { heartbeatMs = HEARTBEAT_MS } = {}): Route[] {
  return [
    route({
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

/** Writes each event once it is kept, until the returned function is called. */
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
  /** In order: a jump, which is kept at once, does not overtake the blocks before it. */
  const waiting: { readonly event: DevEvent; isKept: boolean }[] = [];
  const writeKept = (): void => {
    for (let [next] = waiting; next?.isKept === true; [next] = waiting) {
      waiting.shift();
      if (open) stream.write(serverSent(next.event));
    }
  };
  const stop = source.events.listen({
    onEvent(event) {
      if (!open) return;
      const kept = source.kept();
      const told = { event, isKept: kept === undefined };
      waiting.push(told);
      const tellKept = (): void => {
        told.isKept = true;
        writeKept();
      };
      void kept?.then(tellKept, end);
      writeKept();
    },
    onEnd: end,
  });
  return () => {
    close();
    stop();
  };
}

function serverSent({ kind, round, json }: DevEvent): string {
  // Line breaks in JSON occur only between tokens.
  return `event: ${kind}\nid: ${round}\ndata: ${json.replaceAll(/\n */g, '')}\n\n`;
}

const EVENT = /^event: (block|jump)\nid: (\d+)\ndata: (.*)\n$/;

/** Calls a listener with the events in the answer of `GET /dev/events`, until it ends or its connection is lost. */
export async function readEvents(body: ReadableStream<Uint8Array>, { onEvent, onEnd }: EventListener): Promise<void> {
  let text = '';
  try {
    for await (const line of linesOf(body)) {
      const event = line === '' ? parseEvent(text) : undefined;
      text = line === '' ? '' : `${text}${line}\n`;
      if (event !== undefined) onEvent(event);
    }
  } catch {
    // Stopped or lost: either way, there will be no more events.
  }
  onEnd();
}

/** The whole lines of a text; a long one that comes in many chunks is not looked through again with each. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = '';
  for await (const chunk of body) {
    const [end = '', ...later] = decoder.decode(chunk, { stream: true }).split('\n');
    line += end;
    for (const next of later) {
      yield line;
      line = next;
    }
  }
}

function parseEvent(text: string): DevEvent | undefined {
  const [, kind, round, json] = EVENT.exec(text) ?? [];
  if ((kind !== 'block' && kind !== 'jump') || round === undefined || json === undefined) return undefined;
  return { kind, round: BigInt(round), json };
}
