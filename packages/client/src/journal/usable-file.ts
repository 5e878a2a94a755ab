import { isX402Error, X402Error } from '@avm402/core/errors';

/**
 * Does work with a file or a folder. The platform's messages may be shown: they name paths, and nothing of a content.
 * @throws X402Error `journal_unavailable`
 */
export async function usable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isX402Error(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('journal_unavailable', { message: `${path} can't be used: ${why}`, cause });
  }
}

/** What the work gives; `instead` if the platform says with this code that it could not be done. */
export async function unless<T>(code: string, instead: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, code)) return instead;
    throw error;
  }
}

/** Whether the platform failed with this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
