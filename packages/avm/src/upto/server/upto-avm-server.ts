import { X402Error } from '@avm402/core/errors';
import type { PaymentFlowConfig, PaymentRequirements, SchemeNetworkServer, SupportedKind } from '@x402/core/types';
import { PricingScheme } from '../../network/pricing-scheme.ts';

/**
 * The seller's side of the `upto` scheme on Algorand: prices are maxima. Registers in a resource server: `new
 * x402ResourceServer(facilitator).register('algorand:*', new UptoAvmServer())`.
 */
export class UptoAvmServer extends PricingScheme implements SchemeNetworkServer {
  readonly scheme = 'upto';
  readonly paymentFlows = {
    default: { supported: ['authorization'], default: 'authorization' },
  } as const satisfies Record<string, PaymentFlowConfig>;

  /**
   * Completes an offer with the account that settles it.
   * @throws X402Error `unsupported_scheme` where the facilitator names nobody, and as `PricingScheme`
   */
  override async enhancePaymentRequirements(
    requirements: PaymentRequirements,
    supportedKind: SupportedKind,
    facilitatorExtensions: string[],
  ): Promise<PaymentRequirements> {
    if (typeof supportedKind.extra?.['feePayer'] !== 'string') {
      throw new X402Error('unsupported_scheme', { message: 'the facilitator names no fee payer to settle upto' });
    }
    return super.enhancePaymentRequirements(requirements, supportedKind, facilitatorExtensions);
  }
}
