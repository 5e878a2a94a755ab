import type { AlgodPool } from './algod-pool.ts';
import type { TroubleLog } from './trouble-log.ts';

export interface SponsorBalanceOptions {
  /** The account that pays. */
  readonly address: string;
  readonly pool: AlgodPool;
  readonly troubles: TroubleLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a sponsor has left on one network. */
export interface SponsorFunds {
  /** µAlgo above the account's minimum balance. */
  readonly microAlgos: bigint;
  /** Sponsored payments that this pays for, at the network's present fee. */
  readonly paymentsLeft: bigint;
}

/** Below this many payments the sponsor should be refilled. */
export const FEW_PAYMENTS = 1_000n;

const CHECK_PAUSE_MS = 5_000;
/** A sponsored group: the fee payer's transaction and the payment. */
const GROUP_SIZE = 2n;
const LOW = 'the sponsor has few payments left: send ALGO to its account';

/** Looks at a sponsor's account from time to time, and warns before it is empty. */
export class SponsorBalance {
  readonly address: string;
  readonly #options: SponsorBalanceOptions;
  #funds: SponsorFunds | undefined;
  #checkAt = 0;

  constructor(options: SponsorBalanceOptions) {
    this.address = options.address;
    this.#options = options;
  }

  /** As last seen; absent until a node has told. */
  get funds(): SponsorFunds | undefined {
    return this.#funds;
  }

  /** Asks a node, unless one was asked a moment ago. If none answers, the last answer stands. */
  async check(): Promise<void> {
    const now = this.#options.now();
    if (now < this.#checkAt) return;
    this.#checkAt = now + CHECK_PAUSE_MS;
    const funds = await this.#ask().catch(() => undefined);
    if (funds === undefined) return;
    this.#funds = funds;
    this.#tell(funds);
  }

  async #ask(): Promise<SponsorFunds> {
    const { address, pool } = this.#options;
    const { amount, minBalance } = await pool.run(({ client }) => client.account(address));
    const { minFee } = await pool.params();
    const microAlgos = amount > minBalance ? amount - minBalance : 0n;
    return { microAlgos, paymentsLeft: microAlgos / (minFee * GROUP_SIZE) };
  }

  #tell({ paymentsLeft, microAlgos }: SponsorFunds): void {
    const { troubles, address } = this.#options;
    const facts = { feePayer: address, paymentsLeft: Number(paymentsLeft), microAlgos: String(microAlgos) };
    if (paymentsLeft < FEW_PAYMENTS) troubles.happened(LOW, facts, address);
    else troubles.isOver(LOW, 'the sponsor has enough again', facts, address);
  }
}
