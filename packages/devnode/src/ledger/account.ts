/** The meanings of 0, 1 and 2 in `onl` of a genesis account or an account record. */
export const ACCOUNT_STATUSES = ['Offline', 'Online', 'Not Participating'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Keys with which an online account votes. */
export interface Participation {
  readonly voteKey: Uint8Array;
  readonly selectionKey: Uint8Array;
  readonly stateProofKey: Uint8Array;
  readonly voteFirstValid: bigint;
  readonly voteLastValid: bigint;
  readonly voteKeyDilution: bigint;
}

/** What an account has and pays for in applications. Counts of applications, local states and boxes. */
export interface ApplicationTotals {
  /** Integers in the global states for whose size it pays, and in its local states. */
  readonly uints: number;
  /** Byte slices in them. */
  readonly byteSlices: number;
  readonly extraPages: number;
  readonly created: number;
  readonly optedIn: number;
  /** Boxes of the application whose account it is. */
  readonly boxes: number;
  /** Bytes of their names and contents. */
  readonly boxBytes: number;
}

/** The totals of accounts that have nothing to do with applications; all of them share this record. */
export const NO_APPLICATIONS: ApplicationTotals = {
  uints: 0,
  byteSlices: 0,
  extraPages: 0,
  created: 0,
  optedIn: 0,
  boxes: 0,
  boxBytes: 0,
};

/** Adds to totals. None falls below 0, because a sponsor may have closed its account. */
export function addTotals(totals: ApplicationTotals, change: Partial<ApplicationTotals>): ApplicationTotals {
  const added = { ...totals };
  for (const name of Object.keys(NO_APPLICATIONS) as (keyof ApplicationTotals)[]) {
    added[name] = Math.max(0, totals[name] + (change[name] ?? 0));
  }
  return Object.values(added).every((total) => total === 0) ? NO_APPLICATIONS : added;
}

/** An account without its assets. Records are never changed, only replaced. */
export interface Account {
  readonly microAlgos: bigint;
  readonly status: AccountStatus;
  /** The key that signs for a rekeyed account. */
  readonly authAddress: Uint8Array | undefined;
  readonly participation: Participation | undefined;
  readonly incentiveEligible: boolean;
  readonly lastProposed: bigint;
  readonly lastHeartbeat: bigint;
  /** Number of assets held, including those that it created. */
  readonly totalAssets: number;
  /** Number of assets created and not destroyed. */
  readonly totalCreatedAssets: number;
  readonly applications: ApplicationTotals;
}

/** The record of every address before anything is sent to it. */
export const EMPTY_ACCOUNT: Account = {
  microAlgos: 0n,
  status: 'Offline',
  authAddress: undefined,
  participation: undefined,
  incentiveEligible: false,
  lastProposed: 0n,
  lastHeartbeat: 0n,
  totalAssets: 0,
  totalCreatedAssets: 0,
  applications: NO_APPLICATIONS,
};

/** Whether the record is empty: such an account does not exist. */
export function isEmptyAccount(account: Account): boolean {
  if (account === EMPTY_ACCOUNT) return true;
  return (
    account.microAlgos === 0n &&
    account.status === 'Offline' &&
    account.authAddress === undefined &&
    account.participation === undefined &&
    !account.incentiveEligible &&
    account.lastProposed === 0n &&
    account.lastHeartbeat === 0n &&
    account.totalAssets === 0 &&
    account.totalCreatedAssets === 0 &&
    account.applications === NO_APPLICATIONS
  );
}
