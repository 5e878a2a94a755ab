import { X402Error } from '@avm402/core/errors';
import type { Roles } from '../roles.ts';

const TIMEOUT_MS = 10_000;

/** An algod's answer, unchanged. */
export interface NodeAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests paths below `/v2` from an algod, with a token that the page does not know. */
export class NodeAccess {
  readonly #algod: Roles['algod'];
  readonly #ask: typeof fetch;

  constructor(algod: Roles['algod'], ask: typeof fetch) {
    this.#algod = algod;
    this.#ask = ask;
  }

  /**
   * @param path below `/v2/`, with its query; a path that leads out of that folder is resolved within it
   * @throws X402Error `algod_unreachable`
   */
  async ask(path: string): Promise<NodeAnswer> {
    const answer = await this.#answer(path);
    return { status: answer.status, text: await answer.text() };
  }

  /** @throws X402Error `algod_unreachable`, `algod_bad_answer` with the node's words */
  async json(path: string): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode(await this.bytes(path)));
  }

  /** @throws X402Error `algod_unreachable`, `algod_bad_answer` with the node's words */
  async bytes(path: string): Promise<Uint8Array> {
    const answer = await this.#answer(path);
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    throw new X402Error('algod_bad_answer', { message: `the node answered ${answer.status}: ${await answer.text()}` });
  }

  async #answer(path: string): Promise<Response> {
    const { url, token } = this.#algod;
    const { pathname, search } = new URL(path, 'http://node/');
    const request = { headers: { 'X-Algo-API-Token': token }, signal: AbortSignal.timeout(TIMEOUT_MS) };
    try {
      return await this.#ask(`${url}/v2${pathname}${search}`, request);
    } catch (cause) {
      throw new X402Error('algod_unreachable', { message: `no node answers at ${url}`, cause });
    }
  }
}
