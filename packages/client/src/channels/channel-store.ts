import { channelId } from '@avm402/avm/batch-settlement';
import type { ChannelRecord } from './channel-record.ts';

/**
 * Remembers a buyer's channels. `write` resolves when the record would survive a crash, and replaces the channel's earlier
 * one; `read` resolves to the latest record of each channel.
 */
export interface ChannelStore {
  read(): Promise<readonly ChannelRecord[]>;
  write(record: ChannelRecord): Promise<void>;
}

/**
 * Remembers channels for as long as this process lives. A channel's balance comes back after its expiry in any case.
 */
export function memoryChannelStore(): ChannelStore {
  const records: ChannelRecord[] = [];
  return {
    read: () => Promise.resolve(latestOf(records)),
    write: (record) => {
      records.splice(0, records.length, ...latestOf([...records, record]));
      return Promise.resolve();
    },
  };
}

/** The last record of each channel, in the order in which they were opened. */
export function latestOf(records: readonly ChannelRecord[]): ChannelRecord[] {
  return [...new Map(records.map((record) => [channelId(record.config), record])).values()];
}
