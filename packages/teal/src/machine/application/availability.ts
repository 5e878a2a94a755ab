import { sameBytes } from '@avm402/algorand/bytes';
import { applicationAddress } from './application-address.ts';
import { byteKey } from './byte-key.ts';
import type { ProgramRun } from './group.ts';
import { pairKey } from './shared-resources.ts';
import type { AskingProgram } from './unnamed-resources.ts';
import { APPLICATION_ACCOUNTS_SINCE, SHARED_SINCE } from '../limits.ts';

/** The first version that may use what the group has created. */
const CREATED_SINCE = 6;
/**
 * The place of an account in what the call lists: 0 is the sender, i the account i - 1, or with an access list the
 * entry i - 1.
 */
export function placeOfAccount({ transaction, access }: ProgramRun, address: Uint8Array): number | undefined {
  if (sameBytes(address, transaction.sender)) return 0;
  const { accounts = [] } = transaction;
  const listed = access === undefined ? accounts : [...access.map((entry) => entry.address), ...accounts];
  const place = listed.findIndex((one) => sameBytes(one, address));
  return place === -1 ? undefined : place + 1;
}

const askingFor = (run: ProgramRun): AskingProgram => run.shared.asking ?? run;

/** Whether a program may look at an account. */
export function isAccountAvailable(run: ProgramRun, address: Uint8Array): boolean {
  const { version, shared, transaction } = run;
  if (placeOfAccount(run, address) !== undefined) return true;
  if (version >= CREATED_SINCE && shared.resources.isCreatedAccount(address)) return true;
  if (version >= SHARED_SINCE && shared.resources.accounts.has(byteKey(address))) return true;
  if (version >= APPLICATION_ACCOUNTS_SINCE && isAccountOf(transaction.foreignApps ?? [], address)) return true;
  return sameBytes(run.address, address) || shared.unnamed?.account(askingFor(run), address) === true;
}

function isAccountOf(applications: readonly bigint[], address: Uint8Array): boolean {
  return applications.some((id) => sameBytes(applicationAddress(id), address));
}

export function isAssetAvailable(run: ProgramRun, assetId: bigint): boolean {
  const { version, shared, transaction, access } = run;
  if (access?.some(({ asset }) => asset === assetId) || transaction.foreignAssets?.includes(assetId)) return true;
  if (version >= CREATED_SINCE && shared.resources.createdAssets.has(assetId)) return true;
  if (version >= SHARED_SINCE && shared.resources.assets.has(assetId)) return true;
  return shared.unnamed?.asset(askingFor(run), assetId) === true;
}

export function isApplicationAvailable(run: ProgramRun, applicationId: bigint): boolean {
  const { version, shared, transaction, access } = run;
  if (access?.some(({ application }) => application === applicationId)) return true;
  if (transaction.foreignApps?.includes(applicationId)) return true;
  if (version >= CREATED_SINCE && shared.resources.createdApplications.has(applicationId)) return true;
  if (run.applicationId === applicationId) return true;
  if (version >= SHARED_SINCE && shared.resources.applications.has(applicationId)) return true;
  return shared.unnamed?.application(askingFor(run), applicationId) === true;
}

/** Whether a program of version 9 or later may look at an account's holding. */
export function isHoldingAvailable(run: ProgramRun, address: Uint8Array, assetId: bigint): boolean {
  const { resources, unnamed } = run.shared;
  if (resources.holdings.has(pairKey(address, assetId))) return true;
  if (resources.createdAssets.has(assetId)) return isAccountAvailable(run, address);
  if (resources.isCreatedAccount(address)) return isAssetAvailable(run, assetId);
  if (unnamed === undefined) return false;
  return isAccountAvailable(run, address) && isAssetAvailable(run, assetId) && unnamed.holding(run, address, assetId);
}

/** Whether a program of version 9 or later may look at an account's state in an application. */
export function areLocalsAvailable(run: ProgramRun, address: Uint8Array, applicationId: bigint): boolean {
  const { resources, unnamed } = run.shared;
  if (resources.locals.has(pairKey(address, applicationId))) return true;
  if (resources.createdApplications.has(applicationId)) return isAccountAvailable(run, address);
  if (resources.isCreatedAccount(address)) return isApplicationAvailable(run, applicationId);
  if (unnamed === undefined) return false;
  return (
    isAccountAvailable(run, address) &&
    isApplicationAvailable(run, applicationId) &&
    unnamed.locals(run, address, applicationId)
  );
}
