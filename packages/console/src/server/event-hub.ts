import type { ServerResponse } from 'node:http';

/** Time between two lines that keep an idle connection open. */
const HEARTBEAT_MS = 15_000;
/** A page with more unread than this is cut off. When it reads again, it connects anew and asks for everything. */
const MAX_UNREAD_BYTES = 1_000_000;

/** The open pages; sends them server-sent events. */
export class EventHub {
  readonly #pages = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT_MS).unref();

  /** Sends this page all events from now on. */
  join(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    this.#pages.add(response);
    response.once('close', () => this.#pages.delete(response));
  }

  /** @param json one line of JSON */
  tell(event: string, json: string): void {
    this.#write(`event: ${event}\ndata: ${json}\n\n`);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const page of this.#pages) page.end();
    this.#pages.clear();
  }

  #write(text: string): void {
    for (const page of this.#pages) {
      if (page.writableLength > MAX_UNREAD_BYTES) page.destroy();
      else page.write(text);
    }
  }
}
