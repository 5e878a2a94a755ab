import { encodeChannelPayload } from '@avm402/avm/batch-settlement';
import { X402Error } from '@avm402/core/errors';
import { encodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { X402_VERSION } from '@avm402/core/payment-required';
import { discardBody } from '../http/discard-body.ts';
import { startAnswerTimeout } from '../http/answer-timeout.ts';
import { offerIn } from '../offers/parse-offer.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import type { OpenedFor } from './channel-record.ts';

export interface CloseOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Time for the seller to answer, ms. */
  readonly timeoutMs: number;
}

/**
 * Asks a channel's seller to close it. From then on nothing is paid with it. Resolves when the seller closes it, or
 * does not answer in time: the chain then tells what became of it.
 * @throws X402Error `channel_unavailable` if the seller refuses, or without the session key; what fetch and the store
 * throw
 */
export async function askToClose(
  channel: BuyerChannel,
  opened: OpenedFor,
  { fetch, timeoutMs }: CloseOptions,
): Promise<void> {
  // First, because a channel whose key is not at hand stays open for a payer that has it.
  const headers = { [PAYMENT_SIGNATURE_HEADER]: closingHeader(channel, opened) };
  await channel.beginClosing();
  const timeout = startAnswerTimeout(timeoutMs, undefined);
  try {
    const response = await fetch(opened.url, {
      method: opened.method,
      headers,
      redirect: 'manual',
      signal: timeout.signal,
    });
    discardBody(response);
    // 503: the close is under way.
    if (response.ok || response.status === 503) return;
    const why = offerIn(response)?.error ?? `status ${response.status}`;
    throw new X402Error('channel_unavailable', {
      message: `the seller does not close channel ${channel.id}: ${why}`,
    });
  } catch (error) {
    if (!timeout.signal.aborted) throw error;
  } finally {
    timeout.disarm();
  }
}

function closingHeader(channel: BuyerChannel, { requirements: accepted }: OpenedFor): string {
  const refund = { type: 'refund', channelConfig: channel.config, authorization: channel.signClose() } as const;
  return encodePaymentSignatureHeader({ x402Version: X402_VERSION, accepted, payload: encodeChannelPayload(refund) });
}
