import { addressOfKey } from '../transaction/address-key.ts';
import type { Account } from './account.ts';
import type { StateDelta } from './state/state.ts';

/** So many a block at most (go-algorand config/consensus.go, MaxProposedExpiredOnlineAccounts). */
const MAX_EXPIRED = 32;

// Differs from algod: no-absence
// Differs from algod: touched-expiry
/** Sets offline those accounts among the changed ones whose keys are no longer valid, and gives their addresses. */
export function expireParticipation(state: StateDelta, round: bigint): Uint8Array[] {
  const expired = Array.from(state.accounts.entries(), ([key]) => key)
    .filter((key) => hasExpired(state.account(key), round))
    .slice(0, MAX_EXPIRED);
  for (const key of expired) {
    state.setAccount(key, { ...state.account(key), status: 'Offline', participation: undefined });
  }
  return expired.map(addressOfKey);
}

function hasExpired({ status, participation }: Account, round: bigint): boolean {
  return status === 'Online' && (participation?.voteLastValid ?? round) < round;
}
