import { X402Error } from '@avm402/core/errors';

/**
 * Calls the store.
 * @throws X402Error `store_unavailable` for any error of the store
 */
export async function storing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new X402Error('store_unavailable', { cause });
  }
}
