import type { FacilitatorNetwork, Settle } from '@avm402/avm/exact/facilitator';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentPayload, PaymentRequirements, SchemeNetworkFacilitator } from '@x402/core/types';
import type { Settler } from '../settlement/settler.ts';

/** A scheme of the facilitator: what verifies its payments, and how they become settlements of its store. */
export interface SchemeSettlement {
  /** Registers in a stock `x402Facilitator`; `getExtra` is undefined on networks where the scheme is not served. */
  readonly scheme: SchemeNetworkFacilitator;
  /**
   * Settles what a request asks for, or joins its settlement, and resolves with the outcome, or with `settlement_pending`
   * after the timeout.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    idempotencyKey: string | undefined,
  ): Promise<SettleResponse>;
}

/** What a scheme is made from. */
export interface SchemeParts {
  readonly settler: Settler;
  /** Settles through the facilitator's front door. */
  readonly settle: Settle;
  /** The network with this CAIP-2 id, in any spelling, if it is served. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
