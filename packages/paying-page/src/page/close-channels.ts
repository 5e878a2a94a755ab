import type { PayerChannels } from '@avm402/client';

/**
 * Asks the seller at an origin to close this account's channels, and waits until the rest is back.
 * @throws what closing throws; an Error if a channel is still open when the time is over
 */
export async function closeChannels(channels: PayerChannels, origin: string): Promise<void> {
  for (const { id, url, state } of await channels.list()) {
    const isHere = url !== undefined && new URL(url).origin === origin;
    if (!isHere || state !== 'open') continue;
    const reached = await channels.close(id);
    if (reached.state !== 'closed') throw new Error('the seller has not closed it yet');
  }
}
