import type { AlgodClient, SuggestedParams } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { X402Error } from '@avm402/core/errors';
import { algorandNetworkLong, networksEqual, type Network } from '@avm402/core/network';

export interface NetworkParamsOptions {
  readonly algod: AlgodClient;
  /** Network that algod must belong to. */
  readonly network: Network;
  readonly now: () => number;
}

interface Ages {
  /** Milliseconds after which the next payment triggers a refresh in the background. */
  readonly refreshMs: number;
  /** Milliseconds after which a payment waits for the refresh. */
  readonly limitMs: number;
}

/** About 2 and 10 rounds of 2.8 s: a payment's window has 10 rounds to spare. */
const REAL: Ages = { refreshMs: 5_000, limitMs: 28_000 };
/** Rounds of a development network pass as fast as transactions arrive. */
const DEVELOPMENT: Ages = { refreshMs: 400, limitMs: 2_000 };

/**
 * Suggested parameters of one network: fetched once, then refreshed behind the payments that use them, so that a
 * payment makes no algod call. Every answer's genesis hash is compared with the network.
 */
export class NetworkParams {
  readonly #options: NetworkParamsOptions;
  #params: SuggestedParams | undefined;
  #fetchedAt = 0;
  #refreshing: Promise<SuggestedParams> | undefined;

  constructor(options: NetworkParamsOptions) {
    this.#options = options;
  }

  /** Errors: `network_mismatch`, and algod's own. */
  async current(): Promise<SuggestedParams> {
    const params = this.#params;
    const age = this.#options.now() - this.#fetchedAt;
    if (params === undefined) return this.refresh();
    const { refreshMs, limitMs } = isDevelopmentGenesisId(params.genesisId) ? DEVELOPMENT : REAL;
    if (age >= limitMs) return this.refresh();
    // A failure shows when a payment has to wait for fresh parameters.
    if (age >= refreshMs) this.refresh().catch(() => {});
    return params;
  }

  /** Fetches them now. Errors: as {@link current}. */
  refresh(): Promise<SuggestedParams> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetch(): Promise<SuggestedParams> {
    const { algod, network, now } = this.#options;
    const params = await algod.params();
    const actual = algorandNetworkLong(encodeBase64(params.genesisHash));
    if (!networksEqual(actual, network)) {
      this.#params = undefined;
      throw new X402Error('network_mismatch', {
        message: `algod at ${algod.url} belongs to ${actual}, not to ${network}`,
      });
    }
    this.#params = params;
    this.#fetchedAt = now();
    return params;
  }
}
