import { type LineFileOptions, openLineFile, type LineFormat } from '../journal/line-file.ts';
import { encodeChannelRecord, parseChannelRecord, type ChannelRecord } from './channel-record.ts';
import { latestOf, type ChannelStore } from './channel-store.ts';

/** Channels in a file. This process holds the file until it closes the store. */
export interface FileChannelStore extends ChannelStore {
  close(): Promise<void>;
}

export type FileChannelStoreOptions = LineFileOptions;

const FORMAT: LineFormat<ChannelRecord> = {
  name: 'file of channels',
  encode: encodeChannelRecord,
  parse: parseChannelRecord,
};

/**
 * Opens a file that remembers channels: lines of JSON, only appended to, readable by its owner alone. If a wallet pays,
 * the file holds the session keys of its channels.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount } from '@avm402/client';
 * import { openFileChannelStore } from '@avm402/client/file-channel-store';
 *
 * const store = await openFileChannelStore('channels.jsonl');
 * const fetchPaid = createPayingFetch({ account: parseAccount('… 25 words …'), channels: { store } });
 * await fetchPaid('http://127.0.0.1:4021/weather');
 * await store.close();
 * ```
 *
 * @throws X402Error `journal_locked`, `journal_corrupt` (names the line), `journal_unavailable`, `invalid_spend_options`
 */
export async function openFileChannelStore(
  path: string,
  options: FileChannelStoreOptions = {},
): Promise<FileChannelStore> {
  const file = await openLineFile(path, FORMAT, options);
  return {
    read: async () => latestOf(await file.read()),
    write: (record) => file.append(record),
    close: () => file.close(),
  };
}
