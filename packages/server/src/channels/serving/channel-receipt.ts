import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentRequirements } from '@x402/core/types';
import type { OfferCorrection } from '../../offers/offer.ts';
import type { Channel } from '../record/channel.ts';
import type { LiveChannel } from '../record/live-channel.ts';

/** The scheme's name. */
export const CHANNELS = 'batch-settlement';

/** What a receipt is about. */
export interface ReceiptFacts {
  readonly requirements: Pick<PaymentRequirements, 'network'>;
  /** Atomic units. */
  readonly cost: bigint;
  /** TxID of the deposit that came with the request, if one did. */
  readonly transaction?: string;
}

/** The receipt of a request that a channel has paid for. */
export function channelReceipt(
  channel: Channel,
  { requirements, cost, transaction = '' }: ReceiptFacts,
): SettleResponse {
  return {
    success: true,
    payer: channel.config.payer,
    network: requirements.network,
    transaction,
    extra: { chargedAmount: cost.toString(), channelState: channelState(channel, channel.charged) },
  };
}

/**
 * A corrective 402's facts for a client that knows too little about its channel, so that its next voucher fits. The
 * client believes only its own signature.
 */
export function correctionOf({ row, credit, highest }: LiveChannel): OfferCorrection {
  const extra = { channelState: channelState(row, credit.charged) };
  if (highest === undefined) return { scheme: CHANNELS, extra };
  const signature = Buffer.from(highest.signature).toString('base64');
  const voucherState = { signedMaxClaimable: highest.amount.toString(), signature };
  return { scheme: CHANNELS, extra: { ...extra, voucherState } };
}

/** A channel's money as it is told to the buyer, in atomic units as decimal text. */
function channelState({ channelId, balance, state, charged }: Channel, told: bigint) {
  return {
    channelId,
    balance: balance.toString(),
    totalClaimed: state === 'closed' ? charged.toString() : '0',
    chargedCumulativeAmount: told.toString(),
  };
}
