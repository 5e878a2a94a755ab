import type { Refusal } from '../../exchange/answers.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { correctionOf } from './channel-receipt.ts';
import type { Channels } from '../channels.ts';
import type { AdmissionRefusal } from '../record/channel-record.ts';
import type { LiveChannel } from '../record/live-channel.ts';

/** A request that a channel is meant to pay for. */
export interface ChannelExchange extends Exchange {
  readonly channels: Channels;
}

/** Why a known channel does not pay for a request, and what its client needs to know to do better. */
export function refusedBy(live: LiveChannel, refusal: AdmissionRefusal | 'channel_expiring'): Refusal {
  return { reason: `invalid_batch_settlement_avm_${refusal}`, correction: correctionOf(live) };
}
