import { refuse } from '../../exchange/answers.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { OfferCorrection } from '../../offers/offer.ts';
import { correctionOf } from './channel-receipt.ts';
import type { Channels } from '../channels.ts';
import type { AdmissionRefusal } from '../record/channel-record.ts';
import type { LiveChannel } from '../record/live-channel.ts';

/** A request that a channel is meant to pay for. */
export interface ChannelExchange extends Exchange {
  readonly channels: Channels;
}

/** Why a channel refuses a request, and what its client needs to know to do better. */
export interface ChannelRefusal {
  readonly reason: string;
  readonly correction: OfferCorrection;
}

/** Why a known channel does not pay for a request. */
export function refusedBy(live: LiveChannel, refusal: AdmissionRefusal | 'channel_expiring'): ChannelRefusal {
  return { reason: `invalid_batch_settlement_avm_${refusal}`, correction: correctionOf(live) };
}

/** Answers 402 with the corrective offer. */
export function refuseBy(
  exchange: ChannelExchange,
  live: LiveChannel,
  refusal: AdmissionRefusal | 'channel_expiring',
): Promise<void> {
  return refuse(exchange, refusedBy(live, refusal));
}
