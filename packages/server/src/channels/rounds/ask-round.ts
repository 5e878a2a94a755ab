import { encodeChannelPayload } from '@avm402/avm/batch-settlement';
import { isX402Error } from '@avm402/core/errors';
import { X402_VERSION } from '@avm402/core/payment-required';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { FacilitatorPool } from '../../facilitator/facilitator-pool.ts';
import { PaymentQuestion } from '../../facilitator/payment-question.ts';
import { readRound } from '../../facilitator/reported-round.ts';
import type { Channel } from '../record/channel.ts';
import type { RoundEstimate } from './round-estimate.ts';

export interface RoundContext {
  readonly pool: Pick<FacilitatorPool, 'verify'>;
  readonly rounds: Pick<RoundEstimate, 'observe'>;
  /** Time for one question, in milliseconds. */
  readonly verifyTimeoutMs: number;
}

/**
 * The channels by whose vouchers the rounds of their networks can be asked for, one a network: of those that have a
 * voucher the one that expires last, because it is the surest to be open.
 */
export function surestOf(channels: Iterable<Channel>): readonly Channel[] {
  const surest = new Map<string, Channel>();
  for (const channel of channels) {
    const { network } = channel.requirements;
    const known = surest.get(network);
    if (channel.signature === undefined || (known && known.config.expiry >= channel.config.expiry)) continue;
    surest.set(network, channel);
  }
  return [...surest.values()];
}

/**
 * Asks the facilitator how far a channel's network is, because a seller has no node, and its clock may be set wrong. If
 * nobody answers, the estimate goes on.
 */
export async function askRound(channel: Channel, context: RoundContext): Promise<void> {
  try {
    await judgeChannel(channel, context);
  } catch (error) {
    if (!isX402Error(error)) throw error;
  }
}

/**
 * Asks the facilitator about a channel's highest voucher. The verdict tells the round.
 * @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch`
 */
export async function judgeChannel(
  channel: Channel,
  { pool, rounds, verifyTimeoutMs }: RoundContext,
): Promise<VerifyResponse> {
  const { config } = channel;
  const verdict = await pool.verify(voucherQuestion(channel), verifyTimeoutMs);
  const isExpired = verdict.invalidReason === 'invalid_batch_settlement_avm_channel_expiring';
  const round = isExpired ? config.expiry : readRound(verdict.extra?.['lastRound']);
  if (round !== undefined) rounds.observe(config.genesisHash, round);
  return verdict;
}

function voucherQuestion({ channelId, config, requirements, authorized, signature }: Channel): PaymentQuestion {
  const voucher = { channelId, maxClaimableAmount: authorized, signature: signature ?? new Uint8Array() };
  const payload = encodeChannelPayload({ type: 'voucher', channelConfig: config, voucher });
  return new PaymentQuestion({ x402Version: X402_VERSION, accepted: requirements, payload }, requirements);
}
