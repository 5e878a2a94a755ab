import type { DevEvent, EventListener } from './events.ts';

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
