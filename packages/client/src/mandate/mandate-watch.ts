import type { AlgodClient } from '@avm402/algorand/algod';
import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { lastPayingRound, slotOfLease, WINDOW_ROUNDS, windowEnd } from '@avm402/avm/mandate';
import { fieldOf, integerOf, isBytes, membersOf, roundsBetween } from '../own-node/block-record.ts';
import type { KnownMandate } from './mandate.ts';

/** A payment of a mandate that the chain has. */
export interface MandatePayment {
  readonly round: bigint;
  readonly slot: bigint;
  /** Atomic units. */
  readonly amount: bigint;
  readonly receiver: string;
  /** The last round in which its slot is taken. */
  readonly until: bigint;
}

/** What the chain will allow a mandate's agent now. */
export interface MandateStatus {
  /** The latest round of the node. */
  readonly round: bigint;
  /** Atomic units of the asset in its account. */
  readonly held: bigint;
  /** The most that one payment moves. */
  readonly cap: bigint;
  readonly slots: bigint;
  readonly freeSlots: bigint;
  /** The most that can be paid before `windowEnd`. */
  readonly payable: bigint;
  /** The last round of the present window. */
  readonly windowEnd: bigint;
  /** The last round in which a slot that is taken now stays so; undefined if none is. */
  readonly nextFreeAfter: bigint | undefined;
  readonly expiry: bigint;
  /** `expired`: no window ends before the expiry any more, and so no payment. */
  readonly state: 'open' | 'expired' | 'empty';
  /** The payments whose slots are taken, in order. */
  readonly payments: readonly MandatePayment[];
}

/** The ledger holds a lease for as many rounds at most. */
const LONGEST_LEASE = 1_000n;

/** Watches the payments of a mandate on the buyer's own node. A block is read once. */
export class MandateWatch {
  readonly #mandate: KnownMandate;
  readonly #algod: AlgodClient;
  #payments: readonly MandatePayment[] = [];
  #seen = 0n;
  /** The latest read of blocks: they are read one after another, however many ask. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(mandate: KnownMandate, algod: AlgodClient) {
    this.#mandate = mandate;
    this.#algod = algod;
  }

  /**
   * What the chain will allow now.
   * @throws what algod throws
   */
  async status(): Promise<MandateStatus> {
    const { address, config } = this.#mandate;
    const { asset, cap, slots, expiry } = config;
    const { lastRound: round } = await this.#algod.status();
    const payments = await this.#read(round);
    const held = (await this.#algod.accountAsset(address, asset))?.amount ?? 0n;
    const taken = payments.filter(({ until }) => until > round);
    const freeSlots = slots - BigInt(new Set(taken.map(({ slot }) => slot)).size);
    const [nextFreeAfter] = taken.map(({ until }) => until).toSorted((one, other) => (one < other ? -1 : 1));
    const state = round >= lastPayingRound(expiry) ? 'expired' : held === 0n ? 'empty' : 'open';
    const allowed = freeSlots * cap < held ? freeSlots * cap : held;
    const payable = state === 'open' ? allowed : 0n;
    const window = { windowEnd: windowEnd(round + 1n), nextFreeAfter };
    return { round, held, cap, slots, freeSlots, payable, ...window, expiry, state, payments: taken };
  }

  #read(round: bigint): Promise<readonly MandatePayment[]> {
    const reading = this.#reading.then(() => this.#readUpTo(round));
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #readUpTo(round: bigint): Promise<readonly MandatePayment[]> {
    if (round < this.#seen) this.#goBackTo(round);
    const earliest = round - LONGEST_LEASE + 1n;
    for (const rounds of roundsBetween(this.#seen >= earliest ? this.#seen + 1n : earliest, round)) {
      const blocks = await Promise.all(rounds.map(async (at) => this.#paymentsIn(await this.#algod.block(at), at)));
      this.#payments = [...this.#payments, ...blocks.flat()];
      this.#seen = rounds.at(-1) ?? this.#seen;
    }
    return (this.#payments = this.#payments.filter(({ until }) => until + WINDOW_ROUNDS > round));
  }

  /**
   * A development node has gone back, or another node lags: the blocks above are read again. So are those below if
   * payments were forgotten whose slots are taken there.
   */
  #goBackTo(round: bigint): void {
    this.#seen = this.#seen - round < WINDOW_ROUNDS ? round : 0n;
    this.#payments = this.#payments.filter((payment) => payment.round <= this.#seen);
  }

  #paymentsIn(record: unknown, round: bigint): MandatePayment[] {
    return membersOf(record).flatMap((member) => this.#paymentOf(fieldOf(member, 'txn'), round));
  }

  #paymentOf(txn: unknown, round: bigint): MandatePayment[] {
    const [lease, receiver] = ['lx', 'arcv'].map((name) => fieldOf(txn, name));
    if (!(lease instanceof Uint8Array) || !(receiver instanceof Uint8Array)) return [];
    const slot = slotOfLease(lease);
    if (slot === undefined || !isBytes(fieldOf(txn, 'snd'), parseAddress(this.#mandate.address))) return [];
    const [amount = 0n, until = 0n] = ['aamt', 'lv'].map((name) => integerOf(fieldOf(txn, name)));
    return [{ round, slot, amount, receiver: formatAddress(receiver), until }];
  }
}
