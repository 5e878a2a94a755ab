import { addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import type { Account } from './account.ts';
import type { OnlineAccounts } from './state/online-accounts.ts';
import type { StateDelta } from './state/state.ts';

/** The most accounts that a block sets offline (go-algorand config/consensus.go, MaxProposedExpiredOnlineAccounts). */
const MAX_EXPIRED = 32;
/** From this round on, every 256 rounds a state proof's voters are chosen: the largest that can vote in its round. */
const FIRST_VOTERS = 240n;
const VOTERS_INTERVAL = 256n;
const ROUNDS_TO_PROOF = 272n;
const MAX_VOTERS = 1024;

// Differs from algod: no-absence
/**
 * Sets changed accounts and voters offline if their keys are no longer valid in `round`, the one being made, and gives
 * their addresses. `online` is as of the round before.
 */
export function expireParticipation(state: StateDelta, round: bigint, online: OnlineAccounts): Uint8Array[] {
  const changed = Array.from(state.tables.accounts.entries(), ([key]) => key);
  const expired = [...new Set([...changed, ...expiredVoters(online, round)])]
    .filter((key) => hasExpired(state.account(key), round))
    .slice(0, MAX_EXPIRED);
  for (const key of expired) state.changeAccount(key, { status: 'Offline', participation: undefined });
  return expired.map(addressOfKey);
}

function expiredVoters(online: OnlineAccounts, round: bigint): AddressKey[] {
  const expired = [...online.now()].filter(([, account]) => hasExpired(account, round));
  if (expired.length === 0) return [];
  const voters = votersIn(round - 1n, online);
  return expired.map(([key]) => key).filter((key) => voters.has(key));
}

/** The voters chosen last; before the first choice, the accounts that are online in genesis. */
function votersIn(round: bigint, online: OnlineAccounts): ReadonlySet<AddressKey> {
  if (round < FIRST_VOTERS) return new Set(online.at(0n).keys());
  const chosen = round - ((round - FIRST_VOTERS) % VOTERS_INTERVAL);
  const able = [...online.at(chosen)].filter(([, account]) => canVote(account, chosen + ROUNDS_TO_PROOF));
  const largest = able.sort(([, a], [, b]) => Number(b.microAlgos - a.microAlgos)).slice(0, MAX_VOTERS);
  return new Set(largest.map(([key]) => key));
}

function canVote({ participation }: Account, round: bigint): boolean {
  return participation !== undefined && participation.voteFirstValid <= round && round <= participation.voteLastValid;
}

function hasExpired({ status, participation }: Account, round: bigint): boolean {
  return status === 'Online' && (participation?.voteLastValid ?? round) < round;
}
