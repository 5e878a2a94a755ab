import { DevnodeError } from '../errors.ts';

/** The error of a request that KMD refuses: 401 for tokens and handles, 400 for all other faults of a client. */
export function refused(message: string, status = 400): DevnodeError {
  return new DevnodeError('refused', message, { status });
}
