import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { fetchExchange, type HttpExchange } from '@avm402/algorand/http-exchange';
import { X402Error } from '@avm402/core/errors';
import { createDevControls, type DevControls, type DevControlsOptions } from '@avm402/devnode';
import type { Roles } from '../roles.ts';

const TIMEOUT_MS = 10_000;

/** An answer of algod or of a facilitator, unchanged. */
export interface RoleAnswer {
  readonly status: number;
  readonly text: string;
}

/** The node that the console shows. The page does not know its token. */
export class NodeAccess {
  readonly options: Roles['algod'] & DevControlsOptions;
  readonly algod: AlgodClient;
  /** Only the embedded node has controls. */
  readonly controls: DevControls;
  readonly #exchange: HttpExchange;

  constructor(options: Roles['algod'], ask: typeof fetch) {
    this.options = { ...options, fetch: ask };
    this.#exchange = fetchExchange(ask);
    this.algod = createAlgodClient({ ...options, exchange: this.#exchange });
    this.controls = createDevControls(this.options);
  }

  /**
   * The node's answer, for the page.
   * @param path below `/v2/`, with its query; a path that leads out of that folder is resolved within it
   * @throws X402Error `algod_unreachable`
   */
  async ask(path: string): Promise<RoleAnswer> {
    const { status, body } = await this.#answer(path);
    return { status, text: new TextDecoder().decode(body) };
  }

  /** @throws X402Error `algod_unreachable`, `algod_bad_answer` with the node's words */
  async bytes(path: string): Promise<Uint8Array> {
    const { status, body } = await this.#answer(path);
    if (status === 200) return body;
    const words = new TextDecoder().decode(body);
    throw new X402Error('algod_bad_answer', { message: `the node answered ${status}: ${words}` });
  }

  async #answer(path: string): ReturnType<HttpExchange> {
    const { url, token } = this.options;
    const { pathname, search } = new URL(path, 'http://node/');
    const headers = { 'X-Algo-API-Token': token };
    try {
      return await this.#exchange({
        method: 'GET',
        url: `${url}/v2${pathname}${search}`,
        headers,
        timeoutMs: TIMEOUT_MS,
      });
    } catch (cause) {
      throw new X402Error('algod_unreachable', { message: `no node answers at ${url}`, cause });
    }
  }
}
