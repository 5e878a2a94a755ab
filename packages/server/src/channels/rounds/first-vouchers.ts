import type { VerifyResponse } from '@avm402/core/verify-response';
import type { Channel } from '../record/channel.ts';
import type { HighestVoucher } from '../record/channel-step.ts';
import { judgeChannel, type RoundContext } from './ask-round.ts';
import type { RoundEstimate } from './round-estimate.ts';

export interface FirstVouchersContext extends Omit<RoundContext, 'rounds'> {
  readonly rounds: Pick<RoundEstimate, 'observe' | 'isKnown'>;
}

/**
 * The first vouchers after a start. Until somebody has told how far a network is, a seller knows the age of its channels
 * by its clock alone, and that may have been set back while no server ran: the facilitator judges the first voucher, and
 * the others wait for the round that it tells.
 */
export class FirstVouchers {
  readonly #context: FirstVouchersContext;
  readonly #asking = new Map<string, Promise<VerifyResponse>>();

  constructor(context: FirstVouchersContext) {
    this.#context = context;
  }

  /**
   * Resolves when the round of a channel's network is known; with the reason, if the facilitator refuses the voucher.
   * @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch`
   */
  async refusal(channel: Channel, { amount, signature }: HighestVoucher): Promise<string | undefined> {
    const { network } = channel.requirements;
    while (!this.#context.rounds.isKnown(channel)) {
      const asking = this.#asking.get(network);
      if (asking !== undefined) {
        await asking;
        continue;
      }
      const { isValid, invalidReason = 'unexpected_verify_error' } = await this.#ask(network, {
        ...channel,
        authorized: amount,
        signature,
      });
      return isValid ? undefined : invalidReason;
    }
    return undefined;
  }

  #ask(network: string, channel: Channel): Promise<VerifyResponse> {
    const asking = judgeChannel(channel, this.#context).finally(() => this.#asking.delete(network));
    this.#asking.set(network, asking);
    return asking;
  }
}
