import { MAX_INT64 } from '../../codec/integer.ts';
import { DevnodeError } from '../../errors.ts';

/**
 * Fails as algod does for an id that its database can't hold, because it stores ids as signed numbers.
 * @throws DevnodeError `internal` (500)
 */
export function refuseUnstorable(id: bigint): void {
  if (id <= MAX_INT64) return;
  throw new DevnodeError('internal', 'failed to retrieve information from the ledger', { status: 500 });
}
