import type { HttpAnswer, HttpExchange } from '@avm402/algorand/http-exchange';
import { X402Error } from '@avm402/core/errors';
import { Router } from 'express';
import { isSafeNumber, parse } from 'lossless-json';
import type * as z from 'zod';

const TIMEOUT_MS = 10_000;
const CODES = {
  node: { silent: 'algod_unreachable', wrong: 'algod_bad_answer' },
  facilitator: { silent: 'facilitator_unreachable', wrong: 'facilitator_bad_answer' },
} as const;

export interface RoleOptions {
  readonly name: keyof typeof CODES;
  /** Paths are appended, without a slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly exchange: HttpExchange;
}

/** A role that the console asks for the page, which does not know its key. */
export class Role {
  readonly #options: RoleOptions;

  constructor(options: RoleOptions) {
    this.#options = options;
  }

  /**
   * A router that passes on the role's answers to these paths, `GET /{name}/{path}`. A success is what its schema reads,
   * and numbers that JSON can't hold exactly are decimal digits; a refusal is unchanged.
   */
  routes(answers: Readonly<Record<string, z.ZodType>>): Router {
    const { name } = this.#options;
    const router = Router();
    for (const [path, schema] of Object.entries(answers)) {
      router.get(`/${name}/${path}`, async ({ url }, response) => {
        const { status, body } = await this.#ask(url.slice(`/${name}/`.length));
        if (status === 200) response.json(this.#parse(schema, body));
        else response.status(status).type('json').send(Buffer.from(body));
      });
    }
    return router;
  }

  /** @throws X402Error as {@link bytes}, and `…_bad_answer` for anything that the schema refuses */
  async json<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.#parse(schema, await this.bytes(path));
  }

  /** @throws X402Error `algod_unreachable`, `algod_bad_answer` with the node's words; a facilitator's have its name */
  async bytes(path: string): Promise<Uint8Array> {
    const { status, body } = await this.#ask(path);
    if (status === 200) return body;
    throw this.#wrong(`answered ${status}: ${new TextDecoder().decode(body)}`);
  }

  #parse<T>(schema: z.ZodType<T>, body: Uint8Array): T {
    const { data, error } = schema.safeParse(readJson(new TextDecoder().decode(body)));
    if (data !== undefined) return data;
    const [fault] = error?.issues ?? [];
    throw this.#wrong(`answered what the console can’t read: ${fault?.path.join('.')} ${fault?.message}`);
  }

  #wrong(what: string): X402Error {
    const { name } = this.#options;
    return new X402Error(CODES[name].wrong, { message: `the ${name} ${what}` });
  }

  /** @param path - one that leads out of the role's folder is resolved within it */
  async #ask(path: string): Promise<HttpAnswer> {
    const { name, url, headers, exchange } = this.#options;
    const { pathname, search } = new URL(path, 'http://role/');
    try {
      return await exchange({ method: 'GET', url: url + pathname + search, headers, timeoutMs: TIMEOUT_MS });
    } catch (cause) {
      throw new X402Error(CODES[name].silent, { message: `no ${name} answers at ${url}: ${reasonOf(cause)}`, cause });
    }
  }
}

/** In words; `fetch` itself says only that it failed, and why in the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = (error instanceof TypeError && error.cause) || error;
  const { message, code }: { readonly message?: string; readonly code?: string } = Object(cause);
  // One that tried several addresses has no words.
  return message || String(code);
}

/** Parses JSON; whole numbers above 2^53 become digits. Undefined for any other text. */
function readJson(text: string): unknown {
  try {
    // JSON.parse reads the same where no number is long, and a block of thousands in a tenth of the time.
    if (!/\d{16}/.test(text)) return JSON.parse(text);
    return parse(text, null, (digits) => (isSafeNumber(digits) ? Number(digits) : digits));
  } catch {
    return undefined;
  }
}
