import { X402Error } from '@avm402/core/errors';
import type { Spending } from '../budget/spending.ts';
import { unlessAborted } from '../http/unless-aborted.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { ChosenOffer } from './choose-offer.ts';

/** A payment as the chain knows it. */
export type PaymentFacts = Pick<
  SentPayment,
  'txId' | 'groupTxIds' | 'groupId' | 'lease' | 'slotLease' | 'payer' | 'fee' | 'firstValid' | 'lastValid'
>;

export type OnOffer = (offer: ChosenOffer) => boolean | Promise<boolean>;

export type OnPayment = (payment: SentPayment, offer: ChosenOffer) => void;

export interface PayOfferOptions {
  readonly spending: Spending;
  readonly now: () => number;
  readonly onPayment: OnPayment | undefined;
}

interface SignedPayment {
  readonly facts: PaymentFacts & { readonly payTo?: string };
  /** Gives back what the payment holds, if it never leaves. */
  readonly drop?: () => void;
}

/** A payment of an offer, or a deposit for it. */
export interface OfferPayment<Signed> {
  /** Atomic units. */
  readonly amount: bigint;
  readonly method: string;
  readonly sign: () => Promise<Signed>;
  /** Stores the payment in case this process never sees its answer. */
  readonly seal?: ((payment: SentPayment, signed: Signed) => Promise<void>) | undefined;
}

/**
 * Signs a payment within the budgets and records it as money that left. Until it is on record it is shown to nobody.
 * @throws X402Error `spend_limit_exceeded`; what signs and what stores
 */
export async function payOffer<Signed extends SignedPayment>(
  offer: ChosenOffer,
  { amount, method, sign, seal }: OfferPayment<Signed>,
  { spending, now, onPayment }: PayOfferOptions,
): Promise<Signed & { readonly payment: SentPayment }> {
  const { network, asset, payTo } = offer.requirements;
  const { origin, pathname: path } = offer.url;
  const reservation = spending.reserve({ network, asset, amount }, origin);
  let drop: SignedPayment['drop'];
  const leave = async () => {
    const signed = await sign();
    ({ drop } = signed);
    const payment = { payTo, ...signed.facts, network, asset, amount, origin, method, path, sentAt: now() };
    await reservation.commit(payment);
    await seal?.(payment, signed);
    return { ...signed, payment };
  };
  const made = await leave().catch((error: unknown) => {
    reservation.release();
    drop?.();
    throw error;
  });
  onPayment?.(made.payment, offer);
  return made;
}

/** @throws X402Error `offer_declined`; the signal's reason */
export async function confirmOffer(
  offer: ChosenOffer,
  onOffer: OnOffer | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (onOffer && !(await unlessAborted(signal, () => onOffer(offer)))) throw new X402Error('offer_declined');
}
