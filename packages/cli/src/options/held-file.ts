import type { Terminal } from '../command/terminal.ts';
import { explain } from '../words/explain.ts';

/** Does work with a file that this process holds, and closes it. If that fails, it changes nothing about the work. */
export async function withHeldFile<F extends { close(): Promise<void> } | undefined, T>(
  file: F,
  terminal: Terminal,
  work: (file: F) => Promise<T>,
): Promise<T> {
  try {
    return await work(file);
  } finally {
    await file?.close().catch((error: unknown) => {
      terminal.error(`warning: a file could not be closed: ${explain(error).message}`);
    });
  }
}
