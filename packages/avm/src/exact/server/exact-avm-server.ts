import type { PaymentFlowConfig, SchemeNetworkServer } from '@x402/core/types';
import { PricingScheme } from '../../network/pricing-scheme.ts';

/**
 * The seller's side of the `exact` scheme on Algorand: turns prices into offers. Registers in a resource server: `new
 * x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer())`.
 */
export class ExactAvmServer extends PricingScheme implements SchemeNetworkServer {
  readonly scheme = 'exact';
  readonly paymentFlows = {
    default: { supported: ['authorization', 'upfront'], default: 'authorization' },
  } as const satisfies Record<string, PaymentFlowConfig>;
}
