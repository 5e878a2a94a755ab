import { asking, receipt, type Answer, type Answers, type SeenPayment } from './seller.ts';
import type { Stage } from './stage.ts';

export type PaidAnswer = (payment: SeenPayment) => Answer | Promise<Answer>;

/** Asks for payment, and answers the paid attempts one after another; the last answer stays. */
export function paidAnswers(...answers: readonly PaidAnswer[]): Answers {
  let attempt = 0;
  return ({ payment }) => {
    if (!payment) return asking();
    return answers[Math.min(attempt++, answers.length - 1)]?.(payment) ?? {};
  };
}

/** Settles the payment on chain and answers with its receipt. */
export function settledOn(stage: Stage): (payment: SeenPayment) => Promise<Answer> {
  return async (payment) => {
    await stage.chain.settle(payment);
    return { headers: receipt(payment) };
  };
}

/** A 402 with a reason, and with a receipt that says the same where a payment is given. */
export function refused(error: string): (payment?: SeenPayment) => Answer {
  return (payment) => {
    const answer = asking([{}], { error });
    if (!payment) return answer;
    return { ...answer, headers: { ...answer.headers, ...receipt(payment, { success: false, errorReason: error }) } };
  };
}
