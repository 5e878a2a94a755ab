import type { FacilitatorNetwork, Settle } from '@avm402/avm/sponsorship';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentPayload, PaymentRequirements, SchemeNetworkFacilitator } from '@x402/core/types';
import type { SettleOptions } from '../settlement/settle-options.ts';
import type { Settler } from '../settlement/settler.ts';

/** A scheme of the facilitator: verifies its payments and turns them into settlements of the store. */
export interface SchemeSettlement {
  /** Registers in a stock `x402Facilitator`; `getExtra` is undefined on networks where the scheme is not served. */
  readonly scheme: SchemeNetworkFacilitator;
  /** Whether settling a valid payment would begin a settlement, and not join one or settle nothing. */
  begins(payload: PaymentPayload, requirements: PaymentRequirements): Promise<boolean>;
  /**
   * Settles the payment of a request, or joins its settlement, and resolves with the outcome, or with
   * `settlement_pending` after the timeout. With `respondAsync`, `settlement_pending` may come sooner.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  settle(payload: PaymentPayload, requirements: PaymentRequirements, options: SettleOptions): Promise<SettleResponse>;
}

export interface SchemeParts {
  readonly settler: Settler;
  /** Settles through the facilitator's own `settle`. */
  readonly settle: Settle;
  /** The network with this CAIP-2 id, in long or short form, if it is served. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
