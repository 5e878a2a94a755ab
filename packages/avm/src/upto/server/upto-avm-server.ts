import { X402Error } from '@avm402/core/errors';
import type {
  AssetAmount,
  Network,
  PaymentFlowConfig,
  PaymentRequirements,
  Price,
  SchemeNetworkServer,
  SupportedKind,
} from '@x402/core/types';
import { ExactAvmServer, type ExactAvmServerOptions, type PriceQuestion } from '../../exact/server/exact-avm-server.ts';

/**
 * The seller's half of the `upto` scheme on Algorand: prices are maxima. Registers in a resource server:
 * `new x402ResourceServer(facilitator).register('algorand:*', new UptoAvmServer())`.
 */
export class UptoAvmServer implements SchemeNetworkServer {
  readonly scheme = 'upto';
  readonly defaultAssetTransferMethod = 'default';
  readonly paymentFlows = {
    default: { supported: ['authorization'], default: 'authorization' },
  } as const satisfies Record<string, PaymentFlowConfig>;
  readonly #exact: ExactAvmServer;

  constructor(options: ExactAvmServerOptions = {}) {
    this.#exact = new ExactAvmServer(options);
  }

  /** The most that a request may cost, in atomic units; as {@link ExactAvmServer.quote}. */
  quote(question: PriceQuestion): AssetAmount {
    return this.#exact.quote(question);
  }

  /** As {@link ExactAvmServer.parsePrice}. */
  async parsePrice(price: Price, network: Network): Promise<AssetAmount> {
    return this.#exact.parsePrice(price, network);
  }

  /** Decimal places of an asset; undefined when the seller has not named them. */
  getAssetDecimals(asset: string, network: Network): number | undefined {
    return this.#exact.getAssetDecimals(asset, network);
  }

  /**
   * Completes an offer with who settles it.
   * @throws X402Error `unsupported_scheme` where the facilitator names nobody, and as `ExactAvmServer`
   */
  async enhancePaymentRequirements(
    requirements: PaymentRequirements,
    supportedKind: SupportedKind,
    facilitatorExtensions: string[],
  ): Promise<PaymentRequirements> {
    if (typeof supportedKind.extra?.['feePayer'] !== 'string') {
      throw new X402Error('unsupported_scheme', { message: 'the facilitator names no fee payer, who settles upto' });
    }
    return this.#exact.enhancePaymentRequirements(requirements, supportedKind, facilitatorExtensions);
  }
}
