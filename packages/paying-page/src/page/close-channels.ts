import type { PayerChannels } from '@avm402/client';

/**
 * Asks the seller at an origin to close this account's channels, and waits until the rest is back. Of those that it was
 * asked to close before, it takes back what the chain gives, and asks again for the others.
 * @throws what closing throws; an Error if a channel is still open when the time is over
 */
export async function closeChannels(channels: PayerChannels, origin: string): Promise<void> {
  let isOver = true;
  for (const { id, url, state } of await channels.list()) {
    if (url === undefined || new URL(url).origin !== origin) continue;
    const before = state === 'open' ? undefined : await channels.recover(id);
    const reached = before?.state === 'closed' ? before : await channels.close(id);
    if (reached.state !== 'closed') isOver = false;
  }
  if (!isOver) throw new Error('the seller has not closed it yet');
}
