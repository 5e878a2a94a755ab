import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import type { Claim } from '../redemption/claim.ts';
import { canTellBuyer } from '../redemption/redemption.ts';
import type { StoredResponse } from '../response/held-answer.ts';
import { heldRun } from '../run/held-run.ts';
import type { Outgoing } from '../run/let-go.ts';
import type { PresentedPayment } from './presented-payment.ts';
import { outgoingAfter, record, replyLost, settleClaim } from './settle-claim.ts';

/** A handler's answer that is to be paid for. */
export interface Answered {
  readonly charged: PaymentRequirements;
  /** The answer as it is kept for its buyer; absent if it is not kept. */
  readonly kept?: StoredResponse;
}

/** Has an answer paid for, so that it may leave. */
export type PayForAnswer = (
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  answered: Answered,
) => Promise<Outgoing>;

/** Serves a claimed payment: runs the handler, and lets its answer go once `pay` has had it paid for. */
export function runThen(pay: PayForAnswer) {
  return (exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> => {
    const { txId, payer, requirements } = claim.redemption;
    const { maximum = BigInt(requirements.amount) } = payment;
    let hasEnded = false;
    return heldRun(exchange, {
      names: { txId, payer },
      requirements,
      maximum,
      isMetered: payment.maximum !== undefined,
      isAwaited: canTellBuyer(claim.redemption),
      end: async (cost, kept) => {
        hasEnded = true;
        try {
          const charged = { ...requirements, amount: String(cost) };
          return await pay(exchange, payment, claim, { charged, ...(kept !== undefined && { kept }) });
        } catch (error) {
          claim.abandon();
          throw error;
        }
      },
      release: async () => {
        if (!hasEnded) await record(exchange, claim, () => claim.released());
      },
    });
  };
}

/** Settles, and waits for the outcome. */
export async function settleHeld(
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  { charged, kept }: Answered,
): Promise<Outgoing> {
  // Kept before settlement is asked for: if this process dies after that, the buyer still gets the answer.
  if (!(await claim.sending(kept, charged))) return { reply: replyLost(claim) };
  return outgoingAfter(exchange, claim, await settleClaim(exchange, payment, claim));
}
