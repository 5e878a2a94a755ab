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

/** Vouchers that left and lack their answer: the next identical request sends the same one again. */
export class HeldVouchers {
  readonly #now: () => number;
  readonly #held = new Map<string, { readonly carried: CarriedVoucher; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The offer that an identical request was paid under. */
  offerFor(request: ReplayableRequest): ChosenOffer | undefined {
    return this.#held.size === 0 ? undefined : this.#held.get(fingerprint(request))?.carried.offer;
  }

  /** Takes it: nobody else gets it meanwhile. */
  take(request: ReplayableRequest): CarriedVoucher | undefined {
    if (this.#held.size === 0) return undefined;
    const key = fingerprint(request);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held && held.until > this.#now() ? held.carried : undefined;
  }

  keep(request: ReplayableRequest, carried: CarriedVoucher): void {
    this.#held.set(fingerprint(request), { carried, until: this.#now() + KEEP_MS });
    const oldest = this.#held.keys().next();
    if (this.#held.size > MAX_HELD && oldest.done === false) this.#held.delete(oldest.value);
  }
}
