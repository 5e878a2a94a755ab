import type { Signer } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { advanceVoucher, type VoucherEvent } from './advance-voucher.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { type ChannelSpending, signNext } from './channel-spending.ts';
import type { ChannelTerms } from '../channel-terms.ts';
import { signClose } from '../close-authorization.ts';
import { signVoucher, type Voucher } from '../voucher.ts';
import { adoptReported, type ReportedState } from './reported-state.ts';

/** The voucher of one request. Its amount is the request's id in its channel. */
export interface SignedRequest {
  readonly voucher: Voucher;
  /** The most that the request may cost, atomic units. */
  readonly maximum: bigint;
}

/** A channel as its buyer signs for it: the key of its vouchers, and what the buyer knows of its money. */
export class SigningChannel {
  readonly id: string;
  readonly config: ChannelConfig;
  #signer: Signer | undefined;
  #spending: ChannelSpending;

  /** `signer` is undefined if the session key is lost: then nothing can be signed. */
  constructor(config: ChannelConfig, signer: Signer | undefined, spending: ChannelSpending) {
    this.id = channelId(config);
    this.config = config;
    this.#signer = signer;
    this.#spending = spending;
  }

  get spending(): ChannelSpending {
    return this.#spending;
  }

  /** Whether its session key is known. */
  get canSign(): boolean {
    return this.#signer !== undefined;
  }

  /** Signs with this key from now on, unless it has one. */
  signBy(signer: Signer): void {
    this.#signer ??= signer;
  }

  /** Whether the deposit has room for a request that may cost `maximum`. */
  hasRoomFor(maximum: bigint): boolean {
    return signNext(this.#spending, maximum) !== undefined;
  }

  /**
   * Signs the next voucher, for a request that may cost `maximum`; undefined if the deposit is too small. `coming` is
   * the amount of a deposit that is sent with the voucher.
   * @throws X402Error `channel_unavailable` without a session key
   */
  signVoucher(maximum: bigint, coming = 0n): SignedRequest | undefined {
    const signer = this.#requireSigner();
    const signed = signNext(this.#spending, maximum, coming);
    if (signed === undefined) return undefined;
    this.#spending = signed.next;
    return { voucher: signVoucher(signer, this.id, signed.amount), maximum };
  }

  /** Signs the message that asks the seller to close. @throws X402Error `channel_unavailable` */
  signClose(): Uint8Array {
    return signClose(this.#requireSigner(), this.id);
  }

  /** Learns what became of a request; false for a charge above its maximum, which is not believed. */
  learn({ voucher, maximum }: SignedRequest, happened: VoucherEvent): boolean {
    const request = { id: voucher.maxClaimableAmount, maximum };
    const { spending, isBelieved } = advanceVoucher(this.#spending, request, happened);
    this.#spending = spending;
    return isBelieved;
  }

  /** Adopts the state that a corrective 402 reports; false if it is not believed. */
  adopt(reported: ReportedState): boolean {
    const adopted = adoptReported(this.#spending, this.config, reported);
    this.#spending = adopted ?? this.#spending;
    return adopted !== undefined;
  }

  /** Learns the amount that the buyer's node has seen in the channel, atomic units. */
  hold(deposit: bigint): void {
    this.#spending = { ...this.#spending, deposit };
  }

  #requireSigner(): Signer {
    if (this.#signer) return this.#signer;
    throw new X402Error('channel_unavailable', { message: `the session key of channel ${this.id} is lost` });
  }
}

/** The key that tells channels apart: one seller, under one claim key, in one asset. */
export function channelKey(offer: PaymentRequirements, terms: ChannelTerms): string {
  const { receiverAuthorizer, claimAuthorizer, funder } = terms;
  const { network, asset, payTo } = offer;
  return [canonicalNetwork(network), asset, payTo, receiverAuthorizer, claimAuthorizer, funder].join(' ');
}
