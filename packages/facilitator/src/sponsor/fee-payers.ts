import type { Account } from '@avm402/algorand/account';
import type { AccountInformation, SuggestedParams } from '@avm402/algorand/algod';
import type { AlgodPool } from '../chain/algod-pool.ts';
import type { Log } from '../log/log.ts';
import type { TroubleLog } from '../log/trouble-log.ts';
import { Pause } from '../pause.ts';

interface SponsorBalanceOptions {
  /** The account that pays. */
  readonly account: Account;
  readonly pool: AlgodPool;
  readonly troubles: TroubleLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A sponsor's funds on one network. */
export interface SponsorFunds {
  /** µAlgo above the account's minimum balance. */
  readonly microAlgos: bigint;
  /** Number of sponsored payments that this covers at the network's present fee; none if the account is rekeyed. */
  readonly paymentsLeft: bigint;
  /** Whether the account obeys another key than the one that signs for it here. */
  readonly isRekeyed: boolean;
}

/** Refill the sponsor below this many payments. */
export const FEW_PAYMENTS = 1_000n;

const CHECK_PAUSE_MS = 5_000;
/** Transactions in a sponsored group: the fee payer's and the payment. */
const GROUP_SIZE = 2n;
const LOW = 'the sponsor has few payments left: send ALGO to its account';
const REKEYED = 'the sponsor is rekeyed to another key: nothing is paid by it';

/** The funds of a sponsor's account at these parameters' fee. */
export function fundsOf(
  { address, signerAddress }: Pick<Account, 'address' | 'signerAddress'>,
  { amount, minBalance, authAddress = address }: Pick<AccountInformation, 'amount' | 'minBalance' | 'authAddress'>,
  { minFee }: Pick<SuggestedParams, 'minFee'>,
): SponsorFunds {
  const microAlgos = amount > minBalance ? amount - minBalance : 0n;
  const isRekeyed = authAddress !== signerAddress;
  return { microAlgos, paymentsLeft: isRekeyed ? 0n : microAlgos / (minFee * GROUP_SIZE), isRekeyed };
}

/** Checks a sponsor's account from time to time, and warns before it is empty. */
export class SponsorBalance {
  readonly address: string;
  readonly #options: SponsorBalanceOptions;
  #funds: SponsorFunds | undefined;
  readonly #pause = new Pause();

  constructor(options: SponsorBalanceOptions) {
    this.address = options.account.address;
    this.#options = options;
  }

  /** The funds last seen; absent until a node has answered. */
  get funds(): SponsorFunds | undefined {
    return this.#funds;
  }

  /** Asks a node, unless one was asked a moment ago. If no node answers, the last answer stands. */
  async check(): Promise<void> {
    const now = this.#options.now();
    if (!this.#pause.isOver(now)) return;
    this.#pause.begin(now, CHECK_PAUSE_MS);
    const funds = await this.#ask().catch(() => undefined);
    if (funds === undefined) return;
    this.#funds = funds;
    this.#tell(funds);
  }

  async #ask(): Promise<SponsorFunds> {
    const { account, pool } = this.#options;
    const information = await pool.run(({ client }) => client.account(account.address));
    return fundsOf(account, information, await pool.params());
  }

  #tell({ paymentsLeft, microAlgos, isRekeyed }: SponsorFunds): void {
    const { address } = this;
    const { troubles } = this.#options;
    const facts = { feePayer: address, paymentsLeft: Number(paymentsLeft), microAlgos: String(microAlgos) };
    if (isRekeyed) return troubles.happened(REKEYED, facts, address);
    troubles.isOver(REKEYED, 'the sponsor obeys its key again', facts, address);
    if (paymentsLeft < FEW_PAYMENTS) troubles.happened(LOW, facts, address);
    else troubles.isOver(LOW, 'the sponsor has enough again', facts, address);
  }
}

interface FeePayersOptions extends Omit<SponsorBalanceOptions, 'account'> {
  /** Offers name the first one until balances are known. */
  readonly accounts: Iterable<Account>;
  readonly log: Log;
}

/** Another account replaces the offered one when it has this many times as much left. */
const LEAD = 2n;

/**
 * The accounts that pay fees on one network, and the one that offers name: the account that covers most payments, until
 * another one covers more than twice as many. This way they are used up together, and offers rarely change.
 */
export class FeePayers {
  readonly balances: readonly SponsorBalance[];
  readonly #log: Log;
  #offered: SponsorBalance;
  #offeredForUpto: SponsorBalance | undefined;

  constructor({ accounts, log, ...options }: FeePayersOptions) {
    this.balances = [...accounts].map((account) => new SponsorBalance({ ...options, account }));
    const [first, second] = this.balances;
    if (first === undefined) throw new TypeError('nobody pays fees');
    this.#offered = first;
    this.#offeredForUpto = second;
    this.#log = log;
  }

  /** The address that offers name. */
  get offered(): string {
    return this.#offered.address;
  }

  /** The address that offers of `upto` name: never the first, which closes channels. Undefined if there is no other. */
  get offeredForUpto(): string | undefined {
    return this.#offeredForUpto?.address;
  }

  /** Checks the accounts, unless that was a moment ago, and chooses again. */
  async check(): Promise<void> {
    await Promise.all(this.balances.map((balance) => balance.check()));
    const others = this.balances.slice(1);
    if (this.#offeredForUpto !== undefined) this.#offeredForUpto = chosen(this.#offeredForUpto, others);
    const next = chosen(this.#offered, this.balances);
    if (next === this.#offered) return;
    this.#log.info({ feePayer: next.address, before: this.#offered.address }, 'offers name another fee payer');
    this.#offered = next;
  }
}

/** The account to offer; ties go to the first. One with unknown funds is never chosen, but stays if it was before. */
function chosen(offered: SponsorBalance, all: readonly SponsorBalance[]): SponsorBalance {
  if (offered.funds === undefined) return offered;
  const richest = all.reduce((most, one) => (leftOf(one) > leftOf(most) ? one : most));
  return leftOf(richest) > leftOf(offered) * LEAD ? richest : offered;
}

function leftOf({ funds }: SponsorBalance): bigint {
  return funds?.paymentsLeft ?? 0n;
}
