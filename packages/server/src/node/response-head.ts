import type { ServerResponse } from 'node:http';

/**
 * The head of a response as it stood when a handler wrote it. What is changed after, while the response is held, would have
 * been too late in Node: it is no part of what was paid for.
 */
export class ResponseHead {
  readonly #response: ServerResponse;
  readonly #status: number;
  readonly #message: string;
  readonly #headers: ReturnType<ServerResponse['getHeaders']>;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#status = response.statusCode;
    this.#message = response.statusMessage;
    this.#headers = response.getHeaders();
  }

  restore(): void {
    const response = this.#response;
    response.statusCode = this.#status;
    response.statusMessage = this.#message;
    for (const name of response.getHeaderNames()) if (!(name in this.#headers)) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headers)) {
      if (value !== undefined && response.getHeader(name) !== value) response.setHeader(name, value);
    }
  }
}
