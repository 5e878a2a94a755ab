import { isAlgorandError } from '@avm402/algorand/errors';
import type { PaymentReport, X402Error } from '@avm402/client';
import { errorCatalogue, isX402Error, isX402ErrorCode } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';

/** The reason why there is nothing to show, and a remedy. */
export interface Failure {
  readonly message: string;
  readonly remedy: string;
  /** A code of the error catalogue. */
  readonly code: string;
  /** The next action that this page offers. `look`: the payment is presented again, and nothing more is paid. */
  readonly next: 'again' | 'look' | 'reload';
}

const PENDING: Failure = {
  code: 'settlement_pending',
  message: 'The payment was sent, and it is not known yet whether it settled.',
  remedy: 'Do not pay again. Look again in a moment: the same payment is presented.',
  next: 'look',
};

/** A channel's seller that answers a charged voucher with 402 has no answer to give again. */
const GONE = 'The seller has not kept its answer. Asking again pays once more.';

/** The failure for a response that is not the paid content. */
export function refusalOf(response: Response, settlement?: SettleResponse, report?: PaymentReport): Failure {
  const { status } = response;
  if (settlement?.success === true) {
    const failure = withoutContent(settlement, `the seller answered ${status}`);
    const isGone = status === 402 && settlement.extra?.['chargedAmount'] !== undefined;
    return isGone ? { ...failure, remedy: GONE, next: 'again' } : failure;
  }
  if (settlement?.errorReason === 'settlement_pending') return PENDING;
  return refused(settlement?.errorReason ?? reasonIn(response) ?? `status_${status}`, status, stillAlive(report));
}

/** The failure for a payment that settled without its content. */
export function withoutContent(
  { transaction }: SettleResponse,
  why = 'what was paid for did not arrive whole',
): Failure {
  return {
    code: 'payment_settled_without_response',
    message: `The payment settled, but ${why}.${transaction === '' ? '' : ` Transaction ${transaction}.`}`,
    remedy: 'Ask again: the same payment is presented, and nothing is paid twice.',
    next: 'look',
  };
}

function refused(code: string, status: number, alive: string): Failure {
  if (isX402ErrorCode(code)) {
    const { meaning, remedy } = errorCatalogue[code];
    return { code, message: meaning, remedy: remedy + alive, next: 'again' };
  }
  const message = `The seller answered ${status}, and no payment settled.`;
  return { code, message, remedy: `Try again later.${alive}`, next: 'again' };
}

/** A refused payment can still be submitted by anybody who has it, until the network's algod has seen it expire. */
function stillAlive({ payment, outcome }: PaymentReport = {}): string {
  if (!payment || outcome?.state === 'expired') return '';
  return ` What you signed is presented again until round ${payment.lastValid}; with another wallet you could pay twice.`;
}

function reasonIn(response: Response): string | undefined {
  const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
  return header === null ? undefined : decodePaymentRequiredHeader(header).error;
}

/** The failure for a thrown error. `isSent`: a payment was sent before. */
export function failureOf(error: unknown, isSent: boolean): Failure {
  if (isX402Error(error)) return known(error, isSent);
  const message = error instanceof Error ? error.message : String(error);
  if (isSent) return { ...PENDING, message: `${PENDING.message} ${message}` };
  if (isAlgorandError(error)) {
    return { code: error.code, message, remedy: 'Check your connection, or try again later.', next: 'again' };
  }
  return { code: 'request_failed', message, remedy: 'Check your connection, and try again.', next: 'again' };
}

function known(error: X402Error, isSent: boolean): Failure {
  const { code, message, remedy } = error;
  if (code === 'offer_declined' || code === 'no_acceptable_offer' || code === 'spend_limit_exceeded') {
    return {
      code,
      message: `The seller no longer asks for what this page shows.${isSent ? '' : ' Nothing was paid.'}`,
      remedy: 'Load the page again to see the price of today.',
      next: 'reload',
    };
  }
  if (isSent) return { ...PENDING, code, message };
  return { code, message, remedy, next: 'again' };
}
