import type { ChannelView, PayerChannels } from '@avm402/client';

/**
 * Asks the seller at an origin to close this account's channels, and waits until the rest is back. Of those that it was
 * asked to close before, it takes back what the chain gives, and asks again for the others.
 * @throws for the first channel that was not closed, once each was tried: what closing throws; an Error if it is still
 * open when the time is over
 */
export async function closeChannels(channels: PayerChannels, origin: string): Promise<void> {
  const failures: unknown[] = [];
  for (const channel of await channels.list()) {
    const isHere = channel.url !== undefined && new URL(channel.url).origin === origin;
    if (isHere) await close(channels, channel).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function close(channels: PayerChannels, { id, state }: ChannelView): Promise<void> {
  const before = state === 'open' ? undefined : await channels.recover(id);
  const reached = before?.state === 'closed' ? before : await channels.close(id);
  if (reached.state !== 'closed') throw new Error('the seller has not closed it yet');
}
