import type { ServerResponse } from 'node:http';
import { markPaid } from '../response/reply.ts';
import type { StreamOutlet, StreamPart } from '../response/stream-taker.ts';
import type { OriginalMethods } from './response-writes.ts';

/** The way of an event stream through Node's response, whose methods are replaced meanwhile. */
export class ResponseOutlet implements StreamOutlet {
  readonly #response: ServerResponse;
  readonly #original: OriginalMethods;

  constructor(response: ServerResponse, original: OriginalMethods) {
    this.#response = response;
    this.#original = original;
  }

  head(receipt: string): void {
    markPaid(this.#response, receipt);
    this.#original.call('writeHead', [this.#response.statusCode]);
  }

  write({ chunk, callback }: StreamPart): void {
    this.#original.call('write', callback ? [chunk, callback] : [chunk]);
  }

  end(): void {
    this.#original.call('end', []);
  }

  cutOff(end: () => void): void {
    end();
  }

  drain(): void {
    this.#response.emit('drain');
  }
}
