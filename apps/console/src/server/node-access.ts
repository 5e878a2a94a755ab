import { X402Error } from '@avm402/core/errors';
import { isSafeNumber, parse, stringify } from 'lossless-json';
import type { Roles } from '../roles.ts';

const TIMEOUT_MS = 10_000;

/** What an algod answered, as it is. */
export interface NodeAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks an algod for what its REST interface has under `/v2`, with the token that the page does not know. */
export class NodeAccess {
  readonly #algod: Roles['algod'];
  readonly #ask: typeof fetch;

  constructor(algod: Roles['algod'], ask: typeof fetch) {
    this.#algod = algod;
    this.#ask = ask;
  }

  /**
   * @param path below `/v2/`, with its query; whatever leads out of there is asked as a path of that folder all the same
   * @throws X402Error `algod_unreachable`
   */
  async ask(path: string, body?: unknown): Promise<NodeAnswer> {
    const { url, token } = this.#algod;
    const { pathname, search } = new URL(path, 'http://node/');
    const request = {
      headers: { 'X-Algo-API-Token': token },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { method: 'POST', body: stringify(body) ?? '' }),
    };
    try {
      const answer = await this.#ask(`${url}/v2${pathname}${search}`, request);
      return { status: answer.status, text: await answer.text() };
    } catch (cause) {
      throw new X402Error('algod_unreachable', { message: `no node answers at ${url}`, cause });
    }
  }

  /**
   * The JSON of an answer, whole numbers exact.
   * @throws X402Error `algod_unreachable`, `algod_bad_answer` with the node's words
   */
  async json(path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await this.ask(path, body);
    if (status !== 200) throw new X402Error('algod_bad_answer', { message: `the node answered ${status}: ${text}` });
    return parse(text, null, (digits) => (isSafeNumber(digits) ? Number(digits) : BigInt(digits)));
  }
}
