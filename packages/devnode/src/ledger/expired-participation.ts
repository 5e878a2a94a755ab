import { addressOfKey } from '../transaction/address-key.ts';
import type { StateDelta } from './state.ts';

/** So many a block at most (go-algorand config/consensus.go, MaxProposedExpiredOnlineAccounts). */
const MAX_EXPIRED = 32;

// Differs from algod: no-absence
/** Sets offline those accounts among the changed ones whose keys are no longer valid, and gives their addresses. */
export function expireParticipation(state: StateDelta, round: bigint): Uint8Array[] {
  const expired = [...state.accounts]
    .filter(([, { status, participation }]) => status === 'Online' && (participation?.voteLastValid ?? round) < round)
    .slice(0, MAX_EXPIRED);
  for (const [key, account] of expired) {
    state.setAccount(key, { ...account, status: 'Offline', participation: undefined });
  }
  return expired.map(([key]) => addressOfKey(key));
}
