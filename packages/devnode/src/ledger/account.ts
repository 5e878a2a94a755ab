import { bytes32, bytes64, isAllZero } from '../codec/bytes.ts';
import { boolean, uint32, uint64, uint8 } from '../codec/integer.ts';
import { converted, type ValueOf } from '../codec/kind.ts';
import { nullable } from '../codec/optional.ts';
import { field, requiredField, Struct } from '../codec/struct.ts';

/** The meanings of 0, 1 and 2 in `onl` of a genesis account or an account record. */
export const ACCOUNT_STATUSES = ['Offline', 'Online', 'Not Participating'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Keys with which an online account votes. */
const participation = new Struct({
  voteKey: field('vote', bytes32),
  selectionKey: field('sel', bytes32),
  stateProofKey: field('stprf', bytes64),
  voteFirstValid: field('first', uint64),
  voteLastValid: field('last', uint64),
  voteKeyDilution: field('kd', uint64),
});

/** An account's part in applications, for which it keeps a deposit: counts of applications, local states and boxes. */
const applicationTotals = new Struct({
  /** Integers in the global states for whose size it pays, and in its local states. */
  uints: field('nui', uint32),
  /** Byte slices in them. */
  byteSlices: field('nbs', uint32),
  extraPages: field('pages', uint32),
  created: field('made', uint32),
  optedIn: field('in', uint32),
  /** Boxes of the application whose account it is. */
  boxes: field('boxes', uint32),
  /** Bytes of their names and contents. */
  boxBytes: field('bytes', uint32),
});

export type Participation = ValueOf<typeof participation>;
export type ApplicationTotals = ValueOf<typeof applicationTotals>;

/** The totals of accounts that have nothing to do with applications; all of them share this record. */
export const NO_APPLICATIONS: ApplicationTotals = applicationTotals.zero;

/** Adds to totals. None falls below 0, because a sponsor may have closed its account. */
export function addTotals(totals: ApplicationTotals, change: Partial<ApplicationTotals>): ApplicationTotals {
  const added = { ...totals };
  for (const name of Object.keys(NO_APPLICATIONS) as (keyof ApplicationTotals)[]) {
    added[name] = Math.max(0, totals[name] + (change[name] ?? 0));
  }
  return Object.values(added).every((total) => total === 0) ? NO_APPLICATIONS : added;
}

/** An account without its assets, as state files hold it. Records are never changed, only replaced. */
export const account = new Struct({
  microAlgos: field('algo', uint64),
  status: field(
    'onl',
    converted(uint8, {
      to: (status: AccountStatus) => ACCOUNT_STATUSES.indexOf(status),
      from: (written) => ACCOUNT_STATUSES[written] ?? 'Offline',
    }),
  ),
  /** The key that signs for a rekeyed account. */
  authAddress: field(
    'spend',
    converted(bytes32, {
      to: (key: Uint8Array | undefined) => key ?? bytes32.zero,
      from: (written) => (isAllZero(written) ? undefined : written),
    }),
  ),
  participation: requiredField('part', nullable(participation)),
  incentiveEligible: field('ie', boolean),
  lastProposed: field('lpr', uint64),
  lastHeartbeat: field('lhb', uint64),
  /** Number of assets held, including those that it created. */
  totalAssets: field('held', uint32),
  /** Number of assets created and not destroyed. */
  totalCreatedAssets: field('made', uint32),
  applications: field(
    'apps',
    converted(applicationTotals, {
      to: (totals: ApplicationTotals) => totals,
      from: (written) => addTotals(NO_APPLICATIONS, written),
    }),
  ),
});

export type Account = ValueOf<typeof account>;

/** The record of every address before anything is sent to it. */
export const EMPTY_ACCOUNT: Account = account.zero;

/** Whether the record is empty: such an account does not exist. */
export function isEmptyAccount(given: Account): boolean {
  return account.isUnset(given);
}
