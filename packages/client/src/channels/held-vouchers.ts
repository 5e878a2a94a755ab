import { fingerprint, type ReplayableRequest } from '../http/replayable-request.ts';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import type { BuyerChannel, SignedRequest } from './buyer-channel.ts';
import type { ChannelDeposit } from './channel-record.ts';

/** A voucher on its way, with the request's payment header. */
export interface CarriedVoucher {
  readonly channel: BuyerChannel;
  readonly signed: SignedRequest;
  readonly offer: ChosenOffer;
  /** Goes along: it opens the channel, or adds to it. */
  readonly deposit?: ChannelDeposit;
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
  /** What it cost is known: only the answer is missing. */
  readonly isCharged: boolean;
  /** Lets those go on that wait for the deposit. */
  readonly endDeposit?: () => void;
}

const KEEP_MS = 600_000;
const MAX_HELD = 10_000;

interface Held {
  readonly carried: CarriedVoucher;
  readonly until: number;
}

/** Vouchers that left and lack their answer: the next identical requests send the same ones again, the oldest first. */
export class HeldVouchers {
  readonly #now: () => number;
  readonly #held = new Map<string, readonly Held[]>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The offer that an identical request was paid under. */
  offerFor(request: ReplayableRequest): ChosenOffer | undefined {
    if (this.#count === 0) return undefined;
    const [oldest] = this.#heldFor(fingerprint(request));
    return oldest?.carried.offer;
  }

  /** Takes one: nobody else gets it meanwhile. */
  take(request: ReplayableRequest): CarriedVoucher | undefined {
    if (this.#count === 0) return undefined;
    const key = fingerprint(request);
    const [oldest, ...others] = this.#heldFor(key);
    this.#set(key, others);
    return oldest?.carried;
  }

  keep(request: ReplayableRequest, carried: CarriedVoucher): void {
    const key = fingerprint(request);
    this.#set(key, [...this.#heldFor(key), { carried, until: this.#now() + KEEP_MS }]);
    const oldest = this.#held.keys().next();
    if (this.#count > MAX_HELD && oldest.done === false) this.#set(oldest.value, []);
  }

  /** Those that are not too old. */
  #heldFor(key: string): readonly Held[] {
    return (this.#held.get(key) ?? []).filter(({ until }) => until > this.#now());
  }

  #set(key: string, held: readonly Held[]): void {
    this.#count += held.length - (this.#held.get(key)?.length ?? 0);
    if (held.length === 0) this.#held.delete(key);
    else this.#held.set(key, held);
  }
}
