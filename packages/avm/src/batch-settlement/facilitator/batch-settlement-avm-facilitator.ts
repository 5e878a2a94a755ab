import type {
  Network,
  PaymentPayload,
  PaymentRequirements,
  SchemeNetworkFacilitator,
  SettleResponse,
  VerifyResponse,
} from '@x402/core/types';
import { type Settle, verifyResponse } from '../../sponsorship/refusal.ts';
import { claimEnd, refundEnd } from './channel-ending.ts';
import type { ChannelNetwork } from './channel-network.ts';
import { type ChannelRequest, checkChannelRequest } from './channel-request.ts';
import { verifyDeposit } from './deposit-verdict.ts';
import { verifyVoucher } from './voucher-verdict.ts';

export interface BatchSettlementAvmFacilitatorOptions {
  /** The network with this CAIP-2 id, in any spelling, if the facilitator opens and closes channels there. */
  readonly networkOf: (network: string) => ChannelNetwork | undefined;
  /** Settles through a settlement store, so that no path around the store exists. */
  readonly settle: Settle;
}

/** The facilitator's side of the `batch-settlement` scheme on Algorand. Registers in a stock `x402Facilitator`. */
export class BatchSettlementAvmFacilitator implements SchemeNetworkFacilitator {
  readonly scheme = 'batch-settlement';
  readonly caipFamily = 'algorand:*';
  readonly #options: BatchSettlementAvmFacilitatorOptions;

  constructor(options: BatchSettlementAvmFacilitatorOptions) {
    this.#options = options;
  }

  /**
   * The facilitator's part of an offer's `extra`: closer, fee payer, funder, network, and the least deposit and rounds.
   */
  getExtra(network: Network): Record<string, unknown> | undefined {
    const served = this.#options.networkOf(network);
    if (served === undefined) return undefined;
    const { sponsor, policy, genesisHash } = served;
    const { address } = sponsor.account;
    return {
      receiverAuthorizer: address,
      feePayer: sponsor.feePayer(),
      funder: address,
      genesisHash,
      minDeposit: policy.minDeposit.toString(),
      minRounds: policy.minRounds.toString(),
      maxRounds: policy.maxRounds.toString(),
    };
  }

  getSigners(network: string): string[] {
    return [...(this.#options.networkOf(network)?.sponsor.accounts.keys() ?? [])];
  }

  /**
   * Reads a request and runs the checks that need no network call.
   * @throws X402Error with a wire reason (`invalid_batch_settlement_avm_*`)
   */
  check(payload: unknown, requirements: unknown): ChannelRequest {
    return checkChannelRequest(payload, requirements, this.#options.networkOf);
  }

  /**
   * Whether the deposit, claim or refund would settle now, or whether the channel's balance covers the voucher. A
   * refusal is an answer; only the facilitator's own trouble is thrown.
   * @throws X402Error with a 5xx `httpStatus`, e.g. `algod_unreachable`
   */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    return verifyResponse(async () => {
      const request = this.check(payload, requirements);
      await verifyRequest(request);
      // A seller has no node: it calculates the channel's remaining lifetime from this round.
      return { payer: request.config.payer, extra: { lastRound: String(request.network.lastRound()) } };
    });
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettleResponse> {
    return this.#options.settle(payload, requirements);
  }
}

async function verifyRequest(request: ChannelRequest): Promise<unknown> {
  switch (request.type) {
    case 'deposit':
      return verifyDeposit(request);
    case 'voucher':
      return verifyVoucher(request);
    case 'claim':
      return claimEnd(request);
    case 'refund':
      return refundEnd(request);
    default:
      return request satisfies never;
  }
}
