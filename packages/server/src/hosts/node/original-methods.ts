import type { ServerResponse } from 'node:http';

const ANSWER_METHODS = [
  'writeHead',
  'writeHeader',
  'write',
  'end',
  'flushHeaders',
  'writeInformation',
  'writeEarlyHints',
  'writeProcessing',
  'addTrailers',
] as const;

/** The methods that can send something. `writeHeader` is Node's older name for `writeHead`. */
export type AnswerMethod = (typeof ANSWER_METHODS)[number];

/** The methods of a response before they were replaced. */
export class OriginalMethods {
  readonly #response: ServerResponse;
  readonly #methods: ReadonlyMap<AnswerMethod, unknown>;

  constructor(response: ServerResponse) {
    this.#response = response;
    // Some versions of Node lack some of these methods.
    this.#methods = new Map(ANSWER_METHODS.map((name) => [name, Reflect.get(response, name)]));
  }

  call(name: AnswerMethod, args: readonly unknown[]): unknown {
    const method = this.#methods.get(name);
    return typeof method === 'function' ? Reflect.apply(method, this.#response, args) : undefined;
  }

  /** Removes all replacements, including those of other middleware, so that Node's own methods are left. */
  remove(): void {
    for (const name of ANSWER_METHODS) Reflect.deleteProperty(this.#response, name);
  }

  /** Puts one method back. */
  restore(name: AnswerMethod): void {
    Object.assign(this.#response, { [name]: this.#methods.get(name) });
  }
}
