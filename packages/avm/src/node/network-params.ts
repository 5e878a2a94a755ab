import type { AlgodClient, SuggestedParams } from '@avm402/algorand/algod';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual, type Network } from '@avm402/core/network';

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
/** Rounds pass as fast as payments arrive. */
const HURRIED: Ages = { refreshMs: 400, limitMs: 2_000 };

/** Payments after which the round is looked at for the first time: well below the rounds of the shortest window. */
const FIRST_LOOK = 8;

/** Milliseconds of a public network's pace after which rounds are no longer taken to pass with the payments. */
const CALM_MS = 28_000;

/** What a payment's window is reckoned with. */
export interface NetworkMoment {
  readonly params: SuggestedParams;
  /** Blocks come with the payments, so that rounds say nothing about time: as on development networks. */
  readonly isHurried: boolean;
}

/**
 * Suggested parameters of one network: fetched once, then refreshed behind the payments that use them, so that a
 * payment makes no algod call. Every answer's genesis hash is compared with the network.
 */
export class NetworkParams {
  readonly #options: NetworkParamsOptions;
  #params: SuggestedParams | undefined;
  #fetchedAt = 0;
  #refreshing: Promise<SuggestedParams> | undefined;
  /** Payments made since the last answer, and how many call for another. */
  #payments = 0;
  #lookAfter = FIRST_LOOK;
  /** When rounds were last seen to pass faster than on a public network, and which it was then. */
  #hurry: { readonly round: bigint; readonly at: number } | undefined;

  constructor(options: NetworkParamsOptions) {
    this.#options = options;
  }

  /** @throws X402Error `network_mismatch`, and algod's own */
  async current(): Promise<NetworkMoment> {
    const params = await this.#recent();
    return { params, isHurried: this.#isHurried(params) };
  }

  async #recent(): Promise<SuggestedParams> {
    const params = this.#params;
    if (params === undefined) return this.refresh();
    const age = this.#options.now() - this.#fetchedAt;
    const { refreshMs, limitMs } = this.#isHurried(params) ? HURRIED : REAL;
    // Negative: the clock was set back, and their age is not known.
    if (age >= limitMs || age < 0) return this.refresh();
    this.#payments += 1;
    // A failure shows when a payment has to wait for fresh parameters.
    if (age >= refreshMs || this.#payments === this.#lookAfter) this.refresh().catch(() => {});
    return params;
  }

  #isHurried({ genesisId }: SuggestedParams): boolean {
    return this.#hurry !== undefined || isDevelopmentGenesisId(genesisId);
  }

  /**
   * Fetches them now.
   * @throws as {@link current}
   */
  refresh(): Promise<SuggestedParams> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetch(): Promise<SuggestedParams> {
    const { algod, network, now } = this.#options;
    const params = await algod.params();
    const actual = networkOfGenesis(params.genesisHash);
    if (!networksEqual(actual, network)) {
      this.#params = undefined;
      throw new X402Error('network_mismatch', {
        message: `algod at ${algod.url} belongs to ${actual}, not to ${network}`,
      });
    }
    this.#learnPace(params);
    this.#params = params;
    this.#fetchedAt = now();
    this.#payments = 0;
    return params;
  }

  /**
   * A development node may present a public network's genesis, but not its pace: more than a round a second. An algod
   * that catches up shows that pace too, so it counts for a while only; a clock that was set back shows none. Where
   * payments come faster than rounds the next look is after twice as many, so that looking costs next to nothing.
   */
  #learnPace({ lastRound }: SuggestedParams): void {
    if (this.#params === undefined) return;
    const at = this.#options.now();
    const since = this.#hurry ?? { round: this.#params.lastRound, at: this.#fetchedAt };
    const elapsedMs = at - since.at;
    const rounds = Number(lastRound - since.round);
    // Ten rounds without a payment are a public network's; none at all is a node that waits for the next payment.
    const isIdle = this.#hurry !== undefined && rounds === 0 && elapsedMs >= CALM_MS;
    if (isIdle || (elapsedMs >= 0 && rounds > 1 + elapsedMs / 1000)) {
      this.#hurry = { round: lastRound, at };
    } else if (elapsedMs < 0 || elapsedMs >= CALM_MS) {
      this.#hurry = undefined;
      this.#lookAfter = FIRST_LOOK;
    } else if (this.#payments >= this.#lookAfter) this.#lookAfter *= 2;
  }
}
