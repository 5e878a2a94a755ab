import { X402Error } from '@avm402/core/errors';
import { encodeVoucher } from '../voucher.ts';
import { type SignedRequest, SigningChannel } from './signing-channel.ts';

/** A deposit that was handed out and is not confirmed yet. */
export interface PendingDeposit {
  readonly payload: Record<string, unknown>;
  /** Atomic units. */
  readonly amount: bigint;
  /** The request that was sent with the deposit. */
  readonly signed: SignedRequest;
  readonly lastValid: bigint;
}

/** A channel, kept as long as its client lives. The `deposit` of its spending is the confirmed part. */
export class LiveChannel extends SigningChannel {
  /** Number of deposits signed. */
  deposits = 0;
  /**
   * Until this deposit is confirmed, or can't be any more, no other deposit is signed, because the seller may still
   * submit the first.
   */
  pending: PendingDeposit | undefined;
  /** The last round in which its confirmed deposits can have come. */
  confirmedBy = 0n;
  /** Whether its seller has refused to be paid by it since the buyer's node was last asked whether it was closed. */
  isRefused = false;
  /** Whether a request with a deposit has no answer yet; requests that need the deposit wait. */
  isDepositing = false;
  /** Whether a deposit is being signed: a wallet may take any time, and no other is signed meanwhile. */
  isSigning = false;

  /** Learns that its pending deposit is confirmed. */
  confirm({ amount, lastValid }: PendingDeposit): void {
    this.pending = undefined;
    this.confirmedBy = lastValid;
    this.hold(this.spending.deposit + amount);
  }

  /** Learns that its pending deposit can't be confirmed any more, so its request cost nothing. */
  lose({ signed }: PendingDeposit): void {
    this.learn(signed, { event: 'refused' });
    this.pending = undefined;
    this.isDepositing = false;
  }

  /**
   * The payload of the pending deposit for a request of this price: a second deposit would tie up more money.
   * @throws X402Error `spend_limit_exceeded` if the deposit does not cover the price
   */
  presentAgain({ payload, amount, signed }: PendingDeposit, price: bigint): Record<string, unknown> {
    if (price === signed.maximum) return payload;
    return { ...payload, voucher: encodeVoucher(this.signWithin(price, amount).voucher) };
  }

  /**
   * Signs a voucher within the confirmed deposit and the one being added.
   * @throws X402Error `spend_limit_exceeded` if they do not cover the price
   */
  signWithin(price: bigint, added: bigint): SignedRequest {
    const signed = this.signVoucher(price, added);
    if (signed) return signed;
    throw new X402Error('spend_limit_exceeded', { message: 'the deposit does not cover the price' });
  }
}
