import { type HandlerAnswer, HOP_BY_HOP_HEADERS } from '../../response/held-answer.ts';
import { type ChangingHeaders, markPriced } from '../../response/reply.ts';

/** The headers of a `Response` that has not been made yet. */
export class FetchHeaders implements ChangingHeaders {
  readonly #headers: Headers;

  constructor(headers: Headers = new Headers()) {
    this.#headers = new Headers(headers);
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  setHeader(name: string, value: string | readonly string[]): void {
    if (typeof value === 'string') return this.#headers.set(name, value);
    this.#headers.delete(name);
    for (const item of value) this.#headers.append(name, item);
  }

  removeHeaders(names: Iterable<string>): void {
    for (const name of names) this.#headers.delete(name);
  }

  /** A copy of these headers for an answer with headers of its own, which take precedence. */
  under(own: Headers): FetchHeaders {
    const all = new FetchHeaders(own);
    for (const [name, value] of this.#list()) if (!own.has(name)) all.setHeader(name, value);
    markPriced(all);
    return all;
  }

  /** The headers that a stored answer keeps. */
  kept(): HandlerAnswer['headers'] {
    return this.#list().filter(([name]) => !HOP_BY_HOP_HEADERS.has(name));
  }

  /** The headers to make a `Response` with. */
  get init(): Headers {
    return this.#headers;
  }

  #list(): (readonly [string, string | readonly string[]])[] {
    const cookies = this.#headers.getSetCookie();
    const others = [...this.#headers].filter(([name]) => name !== 'set-cookie');
    return cookies.length > 0 ? [...others, ['set-cookie', cookies]] : others;
  }
}
