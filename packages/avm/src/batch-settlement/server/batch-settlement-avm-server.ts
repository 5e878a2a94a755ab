import { X402Error } from '@avm402/core/errors';
import type { PaymentFlowConfig, PaymentRequirements, SchemeNetworkServer, SupportedKind } from '@x402/core/types';
import { type PricingOptions, PricingScheme } from '../../network/pricing-scheme.ts';
import { FieldReader } from '../../wire/field-reader.ts';
import { parseChannelTerms } from '../channel-terms.ts';

export interface BatchSettlementAvmServerOptions extends PricingOptions {
  /** Address of the seller's claim key. Default: the offer's own `extra.claimAuthorizer`, which `createSeller` sets. */
  readonly claimAuthorizer?: string;
}

/** The members of a facilitator's supported kind that describe channels and that an offer repeats. */
const KIND_TERMS = ['receiverAuthorizer', 'feePayer', 'funder', 'genesisHash', 'minDeposit', 'minRounds'];

/**
 * The seller's side of the scheme `batch-settlement` on Algorand: turns prices into offers of channels. A price is the
 * most that one request may cost. Registers in a resource server beside the scheme `exact`: `new
 * x402ResourceServer(facilitator).register('algorand:*', new BatchSettlementAvmServer())`.
 */
export class BatchSettlementAvmServer extends PricingScheme implements SchemeNetworkServer {
  readonly scheme = 'batch-settlement';
  readonly paymentFlows = {
    default: { supported: ['authorization'], default: 'authorization' },
  } as const satisfies Record<string, PaymentFlowConfig>;
  readonly #claimAuthorizer: string | undefined;

  constructor({ claimAuthorizer, ...options }: BatchSettlementAvmServerOptions = {}) {
    super(options);
    this.#claimAuthorizer = claimAuthorizer;
  }

  /**
   * Completes an offer with the closer and sponsor of channels, and the least deposit and lifetime. A route may ask for
   * more than the facilitator does, in its `extra.minDeposit` (atomic units) and `extra.minRounds`.
   * @throws X402Error as `PricingScheme.enhancePaymentRequirements`; `unsupported_scheme` where the facilitator's kind or
   * the claim key is missing; `invalid_amount` for an amount of the route that can't be read
   */
  override async enhancePaymentRequirements(
    requirements: PaymentRequirements,
    supportedKind: SupportedKind,
    facilitatorExtensions: string[],
  ): Promise<PaymentRequirements> {
    const priced = await super.enhancePaymentRequirements(requirements, supportedKind, facilitatorExtensions);
    const { claimAuthorizer = this.#claimAuthorizer } = priced.extra;
    const extra = { ...priced.extra, ...this.#terms(priced, supportedKind), claimAuthorizer };
    parseTerms(extra);
    return { ...priced, extra };
  }

  #terms({ extra }: PaymentRequirements, { extra: kind = {} }: SupportedKind): Record<string, unknown> {
    const terms = Object.fromEntries(KIND_TERMS.map((name) => [name, kind[name]]));
    for (const least of ['minDeposit', 'minRounds']) terms[least] = higher(least, terms[least], extra[least]);
    return terms;
  }
}

const read = new FieldReader((what) => new X402Error('invalid_amount', { message: `the route's extra.${what}` }));

/** The higher of the facilitator's amount and the route's, which would be no limit if it could not be read. */
function higher(name: string, kind: unknown, route: unknown): unknown {
  if (typeof kind !== 'string' || route === undefined) return kind;
  const [least, asked] = [read.amount(name, kind), read.amount(name, route)];
  return `${asked > least ? asked : least}`;
}

function parseTerms(extra: Record<string, unknown>): void {
  try {
    parseChannelTerms(extra);
  } catch (cause) {
    throw new X402Error('unsupported_scheme', {
      message: 'no channels can be offered: the facilitator sponsors none here, or the seller has no claim key',
      cause,
    });
  }
}
