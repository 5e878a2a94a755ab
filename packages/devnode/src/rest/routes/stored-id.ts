import { DevnodeError } from '../../errors.ts';

/** algod's database holds ids as signed numbers. */
const MAX_STORED_ID = 2n ** 63n - 1n;

/**
 * Fails as algod does when its database cannot hold the id that is looked up.
 * @throws DevnodeError `internal` (500)
 */
export function refuseUnstorable(id: bigint): void {
  if (id <= MAX_STORED_ID) return;
  throw new DevnodeError('internal', 'failed to retrieve information from the ledger', { status: 500 });
}
