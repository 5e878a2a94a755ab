import { closeSync, fdatasync, fstatSync, fsyncSync, openSync, readSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { ByteSource } from '../state-file/frames.ts';

const writeSome = promisify(write);
const sync = promisify(fdatasync);

/** How many bytes are read at once. */
const WINDOW = 1 << 20;

/** The bytes of an open file. */
export function fileSource(name: string, file: number): ByteSource {
  const { size } = fstatSync(file);
  let window: { readonly start: number; readonly bytes: Uint8Array } = { start: 0, bytes: new Uint8Array(0) };
  return {
    name,
    size,
    read(position, length) {
      if (position < window.start || position + length > window.start + window.bytes.length) {
        window = {
          start: position,
          bytes: readAt(file, position, Math.min(Math.max(WINDOW, length), size - position)),
        };
      }
      return window.bytes.subarray(position - window.start, position - window.start + length);
    },
  };
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const more = readSync(file, bytes, read, length - read, position + read);
    if (more === 0) throw new Error(`the file ends at byte ${position + read}`);
    read += more;
  }
  return bytes;
}

/** Writes to the end of a file that was opened for appending, and waits until the bytes are on the disk. */
export async function appendDurably(file: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await writeSome(file, bytes, written, bytes.length - written, null);
    written += bytesWritten;
  }
  await sync(file);
}

/** Makes sure that a file's new name, or its removal, is on the disk. Windows does so by itself. */
export function syncName(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(dirname(path), 'r');
  fsyncSync(directory);
  closeSync(directory);
}
