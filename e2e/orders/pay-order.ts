import { USDC } from '@avm402/stack/balances';
import type { Answer } from './answers.ts';
import { settleAs } from './callers.ts';
import type { PaidOrder } from './oracle.ts';
import type { Order } from './orders.ts';
import type { ProgressDeadline } from './progress-deadline.ts';
import { settleBody, type Wallets } from './wallets.ts';

export interface PayOrderOptions {
  /** Where the next call of a caller goes. */
  readonly facilitatorUrl: () => string;
  /** The account that pays the fees of sponsored payments. */
  readonly feePayer: string;
  readonly wallets: Wallets;
  /** The deadline that all orders of a run share. */
  readonly deadline: ProgressDeadline;
  /** Is called with each answer as it arrives. */
  readonly onAnswer?: (answer: Answer) => void;
}

/** An order that was paid, with the request that its callers sent. */
export interface SettledOrder extends PaidOrder {
  readonly body: string;
}

/** Signs the payment of an order now, and lets all its callers try to settle it. */
export async function payOrder(order: Order, options: PayOrderOptions): Promise<SettledOrder> {
  const payment = await options.wallets.pay(order, options.feePayer);
  const answers: Answer[] = [];
  const body = settleBody(payment);
  const caller = {
    url: options.facilitatorUrl,
    body,
    deadline: options.deadline,
    onAnswer: (answer: Answer) => {
      answers.push(answer);
      options.onAnswer?.(answer);
    },
  };
  const outcomes = await Promise.all(order.callers.map((plan) => settleAs({ ...caller, plan })));
  return {
    body,
    txId: payment.created.txId,
    payer: payment.payer,
    receiver: payment.requirements.payTo,
    assetId: USDC,
    amount: order.amount,
    answers,
    everybodyKnows: outcomes.every(Boolean),
  };
}
