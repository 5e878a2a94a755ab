import type { AlgodClient, SuggestedParams } from '@avm402/algorand/algod';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual, type Network } from '@avm402/core/network';

export interface NetworkParamsOptions {
  readonly algod: AlgodClient;
  readonly now: () => number;
}

interface Ages {
  /** Milliseconds after which the next payment triggers a refresh in the background. */
  readonly refreshMs: number;
  /** Milliseconds after which a payment waits for the refresh. */
  readonly limitMs: number;
}

/** About 2 and 10 rounds of 2.8 s: a payment's window has 10 spare rounds. */
const REAL: Ages = { refreshMs: 5_000, limitMs: 28_000 };
/** For networks with fast blocks: rounds pass as fast as payments arrive. */
const FAST: Ages = { refreshMs: 400, limitMs: 2_000 };

/** Number of payments after which the round is first checked, well below the rounds of the shortest window. */
const FIRST_LOOK = 8;

/** Milliseconds at a public network's pace after which rounds are no longer assumed to pass with the payments. */
const FORGET_FAST_MS = 28_000;

/** The network's parameters, from which a payment's window is calculated. */
export interface NetworkMoment {
  readonly params: SuggestedParams;
  /** Whether blocks come as fast as payments do, as on development networks, so that rounds say nothing about time. */
  readonly hasFastBlocks: boolean;
}

/**
 * Suggested parameters of one network. They are fetched once and then refreshed in the background, so that a payment
 * makes no algod call.
 */
export class NetworkParams {
  readonly #options: NetworkParamsOptions;
  #params: SuggestedParams | undefined;
  #fetchedAt = 0;
  #refreshing: Promise<SuggestedParams> | undefined;
  /** Payments since the last answer, and the number of payments that triggers the next request. */
  #payments = 0;
  #lookAfter = FIRST_LOOK;
  /** The time when rounds last passed faster than on a public network, and the round at that time. */
  #fast: { readonly round: bigint; readonly at: number } | undefined;

  constructor(options: NetworkParamsOptions) {
    this.#options = options;
  }

  /**
   * The parameters for a payment on `network`, which is compared each time: a long id can begin as algod's network and
   * end as none.
   * @throws X402Error `network_mismatch`, and algod's own
   */
  async current(network: Network): Promise<NetworkMoment> {
    const params = await this.#recent();
    const actual = networkOfGenesis(params.genesisHash);
    if (networksEqual(actual, network)) return { params, hasFastBlocks: this.#isFast(params) };
    this.#params = undefined;
    throw new X402Error('network_mismatch', {
      message: `algod at ${this.#options.algod.url} belongs to ${actual}, not to ${network}`,
    });
  }

  async #recent(): Promise<SuggestedParams> {
    const params = this.#params;
    if (params === undefined) return this.refresh();
    const age = this.#options.now() - this.#fetchedAt;
    const { refreshMs, limitMs } = this.#isFast(params) ? FAST : REAL;
    // A negative age means that the clock was set back, so the real age is not known.
    if (age >= limitMs || age < 0) return this.refresh();
    this.#payments += 1;
    // A failure shows up when a payment has to wait for fresh parameters.
    if (age >= refreshMs || this.#payments === this.#lookAfter) this.refresh().catch(() => {});
    return params;
  }

  #isFast({ genesisId }: SuggestedParams): boolean {
    return this.#fast !== undefined || isDevelopmentGenesisId(genesisId);
  }

  /**
   * Fetches the parameters now.
   * @throws algod's own errors
   */
  refresh(): Promise<SuggestedParams> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetch(): Promise<SuggestedParams> {
    const { algod, now } = this.#options;
    const params = await algod.params();
    this.#learnPace(params);
    this.#params = params;
    this.#fetchedAt = now();
    this.#payments = 0;
    return params;
  }

  /**
   * Detects a development node that presents a public network's genesis: it makes more than a round per second. A
   * public algod that catches up shows that pace too, so the finding expires; a clock that was set back proves nothing.
   * Where payments come faster than rounds, the next check is after twice as many payments, so that checking costs next
   * to nothing.
   */
  #learnPace({ lastRound }: SuggestedParams): void {
    if (this.#params === undefined) return;
    const at = this.#options.now();
    const since = this.#fast ?? { round: this.#params.lastRound, at: this.#fetchedAt };
    const elapsedMs = at - since.at;
    const rounds = Number(lastRound - since.round);
    // Ten rounds without a payment mean a public network; no round at all means a node that waits for the next payment.
    const isIdle = this.#fast !== undefined && rounds === 0 && elapsedMs >= FORGET_FAST_MS;
    if (isIdle || (elapsedMs >= 0 && rounds > 1 + elapsedMs / 1000)) {
      this.#fast = { round: lastRound, at };
    } else if (elapsedMs < 0 || elapsedMs >= FORGET_FAST_MS) {
      this.#fast = undefined;
      this.#lookAfter = FIRST_LOOK;
    } else if (this.#payments >= this.#lookAfter) this.#lookAfter *= 2;
  }
}
