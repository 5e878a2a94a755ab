import { type FileChannelStore, openFileChannelStore } from '@avm402/client/file-channel-store';
import type { Terminal } from '../command/terminal.ts';
import { withHeldFile } from './held-file.ts';

/** The option that names the file of channels. */
export const CHANNEL_FILE_OPTION = { channels: { type: 'string', default: 'channels.jsonl' } } as const;

export const CHANNEL_FILE_HELP = `      --channels FILE     the file that remembers channels (default channels.jsonl)`;

/** Opens a channel file, does work with it, and closes it. */
export async function withChannelFile<T>(
  path: string,
  terminal: Terminal,
  work: (store: FileChannelStore) => Promise<T>,
): Promise<T> {
  return withHeldFile(await openFileChannelStore(path), terminal, work);
}
