import type { StoredResponse } from '../../response/held-answer.ts';
import { HeldBytes } from '../../response/held-bytes.ts';

const MEBIBYTE = 1024 * 1024;

export interface KeptResponsesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
  /** Bytes of one payer's responses. Default 16 MiB. */
  readonly maxPerPayer?: number;
  /** Bytes of all responses. Default 256 MiB. */
  readonly maxInTotal?: number;
}

/** Limits the responses that this process has recorded for buyers who come back, until their time is over. */
export class KeptResponses {
  readonly #clocks: Pick<KeptResponsesOptions, 'now' | 'monotonicNow'>;
  readonly #bytes: HeldBytes;
  /** In the order in which they were kept, which is also the order in which they end. */
  readonly #kept: { readonly until: number; readonly free: () => void }[] = [];

  constructor({ maxPerPayer = 16 * MEBIBYTE, maxInTotal = 256 * MEBIBYTE, ...clocks }: KeptResponsesOptions) {
    this.#clocks = clocks;
    this.#bytes = new HeldBytes(maxPerPayer, maxInTotal);
  }

  /** The response, if there is room to keep it; otherwise its buyer gets only the receipt. */
  keep(payer: string, response: StoredResponse): StoredResponse | undefined {
    const { now, monotonicNow } = this.#clocks;
    const at = monotonicNow();
    while (this.#kept[0] !== undefined && this.#kept[0].until <= at) this.#kept.shift()?.free();
    const share = this.#bytes.share(payer);
    if (!share.take(response.body.length)) return undefined;
    this.#kept.push({ until: at + response.keptUntil - now(), free: () => share.free() });
    return response;
  }
}
