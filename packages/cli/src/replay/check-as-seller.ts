import { isShown } from '@avm402/algorand/shown-transaction';
import { checkPaymentTerms, checkSignature, type OfflinePayment, withNamedFeePayer } from '@avm402/avm/exact';
import { namesOffer } from '@avm402/core/accepted-offer';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { parsePaymentPayload, type PaymentPayload } from '@avm402/core/payment-payload';
import { parsePaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { Replay, ReplayMessage } from '@avm402/core/replay';
import { jsonIn, membersIn } from '@avm402/core/unknown-json';

/** A check that was done again. */
export interface CheckedAgain {
  readonly by: 'seller' | 'facilitator';
  readonly check: string;
  /** `passed`, or the code of the refusal. Absent if the file lacks what the check needs. */
  readonly outcome?: string;
}

export interface SellersView {
  /** In the seller's order, up to the first that was not passed. */
  readonly checks: readonly CheckedAgain[];
  /** The payment, if it passed all of them. */
  readonly payment?: OfflinePayment & { readonly requirements: PaymentRequirements };
}

/** Repeats the seller's checks that ask nobody. Only `exact` payments are judged by their message alone. */
export function checkAsSeller(replay: Replay): SellersView {
  const place = replay.messages.findLastIndex(({ headers }) => groupIn(headers) !== undefined);
  if (place === -1) return { checks: [] };
  const checks: CheckedAgain[] = [];
  const passes = <T>(check: string, work: () => T): T => {
    try {
      const found = work();
      checks.push({ by: 'seller', check, outcome: 'passed' });
      return found;
    } catch (error) {
      if (isX402Error(error)) checks.push({ by: 'seller', check, outcome: error.code });
      throw error;
    }
  };
  try {
    const sent = passes('message', () => sentPayment(replay, place));
    const { accepted } = sent;
    const payment = passes('terms', () => checkPaymentTerms(sent, accepted));
    const offers = offersBefore(replay.messages, place);
    if (offers === undefined) checks.push({ by: 'seller', check: 'offer' });
    else passes('offer', () => checkOffered(accepted, offers));
    if (isShown(payment.exact.transfer.signed)) checks.push({ by: 'seller', check: 'signature' });
    else passes('signature', () => checkSignature(payment.exact));
    return { checks, payment: { ...payment, requirements: accepted } };
  } catch (error) {
    if (!isX402Error(error)) throw error;
    return { checks };
  }
}

/** The transactions of a payment that were recorded with a message. */
function groupIn(headers: ReplayMessage['headers']): readonly unknown[] | undefined {
  const { accepted, payload } = membersIn(jsonIn(headers['PAYMENT-SIGNATURE'] ?? ''));
  const { scheme } = membersIn(accepted);
  const { paymentGroup } = membersIn(payload);
  return scheme === 'exact' && Array.isArray(paymentGroup) ? paymentGroup : undefined;
}

/**
 * The payment as it came to the seller. If the group is on chain, the file has the payment's transaction with its
 * signature.
 * @throws X402Error `invalid_payment_payload`, or a wire reason for a group that can't be read
 */
function sentPayment({ messages, group }: Replay, place: number): PaymentPayload {
  const sent = parsePaymentPayload(jsonIn(messages[place]?.headers['PAYMENT-SIGNATURE'] ?? ''));
  const { paymentGroup, paymentIndex } = sent.payload;
  const members = (Array.isArray(paymentGroup) ? paymentGroup : []).map((member: unknown, index) =>
    index === paymentIndex ? (group[index] ?? member) : member,
  );
  return withNamedFeePayer({ ...sent, payload: { ...sent.payload, paymentGroup: members } });
}

/** The last offers before the payment; undefined if no role recorded any. */
function offersBefore(messages: Replay['messages'], place: number): readonly PaymentRequirements[] | undefined {
  const required = messages.slice(0, place).findLast(({ headers }) => headers['PAYMENT-REQUIRED'] !== undefined);
  return required && parsePaymentRequired(jsonIn(required.headers['PAYMENT-REQUIRED'] ?? '')).accepts;
}

function checkOffered(accepted: PaymentRequirements, offers: readonly PaymentRequirements[]): void {
  const feePayersOf = ({ extra: { feePayer } }: PaymentRequirements) =>
    typeof feePayer === 'string' ? [feePayer] : [];
  const isOffered = offers.some((requirements) =>
    namesOffer(accepted, { requirements, feePayers: feePayersOf(requirements) }),
  );
  if (!isOffered) throw new X402Error('no_matching_offer');
}
