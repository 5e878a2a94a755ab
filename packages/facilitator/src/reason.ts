import { X402Error } from '@avm402/core/errors';

/** What an error says. If a name has several addresses, the system's error has only a code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}

/** The error for a store that can't be used; `what` names it. */
export function storeUnavailable(what: string, cause: unknown): X402Error {
  return new X402Error('store_unavailable', { message: `${what}: ${reasonOf(cause)}`, cause });
}
