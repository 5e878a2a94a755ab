import type {
  Network,
  PaymentPayload,
  PaymentRequirements,
  SchemeNetworkFacilitator,
  VerifyResponse,
} from '@x402/core/types';
import { X402Error } from '@avm402/core/errors';
import { sponsorshipTerms } from '../../exact/checks/sponsorship.ts';
import { CurrentFees } from '../../exact/facilitator/current-fees.ts';
import { isRefusal, type Settle } from '../../exact/facilitator/exact-avm-facilitator.ts';
import type { FacilitatorNetwork } from '../../exact/facilitator/facilitator-network.ts';
import { checkUpto, simulateUpto, uptoSettlement } from './upto-verifier.ts';

export interface UptoAvmFacilitatorOptions {
  /** The network with this CAIP-2 id, in any spelling, if it is served. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Settles through a settlement store, so that no path around the store exists. */
  readonly settle: Settle;
  /** Milliseconds, of a clock that does not go back. */
  readonly now: () => number;
}

/** The `upto` scheme on Algorand for a facilitator; registers in a stock `x402Facilitator`. */
export class UptoAvmFacilitator implements SchemeNetworkFacilitator {
  readonly scheme = 'upto';
  readonly caipFamily = 'algorand:*';
  readonly settle: Settle;
  readonly #networkOf: UptoAvmFacilitatorOptions['networkOf'];
  readonly #fees: CurrentFees;

  constructor({ networkOf, settle, now }: UptoAvmFacilitatorOptions) {
    this.#networkOf = networkOf;
    this.settle = settle;
    this.#fees = new CurrentFees(now);
  }

  /** `{ feePayer }`: who settles. */
  getExtra(network: Network): Record<string, unknown> | undefined {
    const [feePayer] = this.getSigners(network);
    return feePayer === undefined ? undefined : { feePayer };
  }

  getSigners(network: string): string[] {
    const sponsor = this.#networkOf(network)?.sponsor;
    return sponsor === undefined ? [] : [sponsor.account.address];
  }

  /**
   * Whether a charge of the maximum would settle now. A refusal is an answer; only trouble of our own is thrown.
   * @throws X402Error with a 5xx `httpStatus`, e.g. `algod_unreachable`
   */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    try {
      const upto = checkUpto(payload, requirements);
      const network = this.#networkOf(upto.requirements.network);
      if (network === undefined) throw new X402Error('unsupported_network');
      const { sponsor } = network;
      if (sponsor?.account.address !== upto.payment.authorization.feePayer) {
        throw new X402Error('invalid_exact_avm_unsigned_non_facilitator');
      }
      const { receiver, token: assetId, maxAmount: amount } = upto.payment.authorization;
      sponsorshipTerms({ receiver, assetId, amount }, sponsor);
      const { minFee } = await this.#fees.of(network);
      await simulateUpto(uptoSettlement(upto, minFee), upto, network.algod);
      return { isValid: true, payer: upto.payment.payer };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { isValid: false, invalidReason: error.code, invalidMessage: error.message };
    }
  }
}
