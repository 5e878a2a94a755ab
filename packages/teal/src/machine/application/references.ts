import { formatAddress } from '@avm402/algorand/address';
import { attempt, OpcodeFailure } from '../program-error.ts';
import { isZero, type StackValue } from '../stack-value.ts';
import {
  areLocalsAvailable,
  isAccountAvailable,
  isApplicationAvailable,
  isAssetAvailable,
  isHoldingAvailable,
  placeOfAccount,
} from './availability.ts';
import type { ResourceReference } from '../group-transaction.ts';
import type { ProgramRun } from './group.ts';
import { LOW_ID, SHARED_SINCE } from '../limits.ts';

/** The first version that accepts an id or an address where earlier ones accept only a slot. */
const DIRECT_SINCE = 4;
const ADDRESS_LENGTH = 32;

/** An account that an argument refers to. */
export interface AccountReference {
  readonly address: Uint8Array;
  /** Its place among the accounts of the call; undefined if the call does not list it. */
  readonly place: number | undefined;
}

/**
 * The account of an argument, if the program may look at it.
 * @throws OpcodeFailure
 */
export function accountOf(run: ProgramRun, value: StackValue): AccountReference {
  if (typeof value === 'bigint') return listedAccount(run, value);
  const address = addressOf(value);
  const place = placeOfAccount(run, address);
  if (place === undefined && !isAccountAvailable(run, address)) {
    throw new OpcodeFailure(`unavailable Account ${formatAddress(address)}`);
  }
  return { address, place };
}

/**
 * The account of an argument whose state is written. Before version 9 only those that the call lists can be, though
 * others can be read.
 * @throws OpcodeFailure
 */
export function mutableAccountOf(run: ProgramRun, value: StackValue): AccountReference {
  const found = accountOf(run, value);
  if (found.place !== undefined || run.version >= SHARED_SINCE) return found;
  throw new OpcodeFailure(`invalid Account reference for mutation ${formatAddress(found.address)}`);
}

function listedAccount({ transaction, access }: ProgramRun, index: bigint): AccountReference {
  if (index === 0n) return { address: transaction.sender, place: 0 };
  if (access !== undefined) return entryOfAccess(access, index);
  const accounts = transaction.accounts ?? [];
  const address = accounts[Number(index) - 1];
  if (address !== undefined) return { address, place: Number(index) };
  throw new OpcodeFailure(`invalid Account reference ${index} exceeds length of tx.Accounts ${accounts.length}`);
}

function entryOfAccess(access: readonly ResourceReference[], index: bigint): AccountReference {
  const entry = access[Number(index) - 1];
  if (entry === undefined) {
    throw new OpcodeFailure(`invalid Account reference ${index} exceeds length of tx.Access ${access.length}`);
  }
  const { address } = entry;
  if (!isZero(address)) return { address, place: Number(index) };
  throw new OpcodeFailure(`address reference ${index} is not an Address in tx.Access`);
}

function addressOf(value: Uint8Array): Uint8Array {
  if (value.length !== ADDRESS_LENGTH) throw new OpcodeFailure('not an address');
  return value;
}

/**
 * The id of an argument that is an id or, as `app_global_get_ex` has it since version 2, a slot.
 * @throws OpcodeFailure
 */
export function applicationOf(run: ProgramRun, reference: bigint, slots: 'slots' | 'ids' = 'ids'): bigint {
  return notLow('App', run.version < DIRECT_SINCE ? earlyApplication(run, reference, slots) : resolved(run, reference));
}

function earlyApplication(run: ProgramRun, reference: bigint, slots: 'slots' | 'ids'): bigint {
  if (reference === 0n) return run.applicationId;
  if (slots === 'ids') return reference;
  const id = run.transaction.foreignApps?.[Number(reference) - 1];
  if (id === undefined) throw new OpcodeFailure(`${reference} is not a valid foreign app slot`);
  return id;
}

function resolved(run: ProgramRun, reference: bigint): bigint {
  const id = resolvedApplication(run, reference);
  if (id === undefined) throw new OpcodeFailure(`unavailable App ${reference}`);
  return id;
}

function resolvedApplication(run: ProgramRun, reference: bigint): bigint | undefined {
  if (reference === 0n || reference === run.applicationId) return run.applicationId;
  if (isApplicationAvailable(run, reference)) return reference;
  const place = Number(reference) - 1;
  const id = run.access?.[place]?.application ?? 0n;
  return run.transaction.foreignApps?.[place] ?? (id === 0n ? undefined : id);
}

/**
 * The id of an argument that is an id or, as `asset_params_get` has it since version 2, a slot.
 * @throws OpcodeFailure
 */
export function assetOf(run: ProgramRun, reference: bigint, slots: 'slots' | 'ids'): bigint {
  if (run.version < DIRECT_SINCE) return notLow('Asset', earlyAsset(run, reference, slots));
  const id = resolvedAsset(run, reference);
  if (id === undefined) throw new OpcodeFailure(`unavailable Asset ${reference}`);
  return notLow('Asset', id);
}

function earlyAsset({ transaction }: ProgramRun, reference: bigint, slots: 'slots' | 'ids'): bigint {
  if (slots === 'ids') return reference;
  const id = transaction.foreignAssets?.[Number(reference)];
  if (id === undefined) throw new OpcodeFailure(`${reference} is not a valid foreign asset slot`);
  return id;
}

function resolvedAsset(run: ProgramRun, reference: bigint): bigint | undefined {
  if (isAssetAvailable(run, reference)) return reference;
  const place = Number(reference);
  const id = run.access?.[place - 1]?.asset ?? 0n;
  return run.transaction.foreignAssets?.[place] ?? (id === 0n ? undefined : id);
}

function notLow(what: 'App' | 'Asset', id: bigint): bigint {
  if (id <= LOW_ID) throw new OpcodeFailure(`low ${what} lookup ${id}`);
  return id;
}

/**
 * The account and the asset of a holding, if the program may look at it.
 * @throws OpcodeFailure
 */
export function holdingOf(
  run: ProgramRun,
  account: StackValue,
  reference: bigint,
): { readonly address: Uint8Array; readonly assetId: bigint } {
  if (run.version < SHARED_SINCE) {
    const { address } = accountOf(run, account);
    return { address, assetId: assetOf(run, reference, 'ids') };
  }
  const { address } = unchecked(run, account);
  const asset = attempt(() => assetOf(run, reference, 'ids'));
  if (asset.found !== undefined && isHoldingAvailable(run, address, asset.found)) {
    return { address, assetId: asset.found };
  }
  const problems = [...attempt(() => accountOf(run, account)).problems, ...asset.problems];
  throw new OpcodeFailure(problems.join(', ') || `unavailable Holding ${asset.found}+${formatAddress(address)}`);
}

/**
 * The account and the application of a local state, if the program may look at it.
 * @throws OpcodeFailure
 */
export function localsOf(
  run: ProgramRun,
  value: StackValue,
  reference: bigint,
): AccountReference & { readonly applicationId: bigint } {
  if (run.version < SHARED_SINCE) {
    const account = accountOf(run, value);
    return { ...account, applicationId: applicationOf(run, reference) };
  }
  const account = unchecked(run, value);
  const application = attempt(() => applicationOf(run, reference));
  const id = application.found ?? lowId(run, reference);
  if (application.found !== undefined && areLocalsAvailable(run, account.address, application.found)) {
    return { ...account, applicationId: application.found };
  }
  const unlisted = attempt(() => accountOf(run, value)).problems;
  if (unlisted.length === 0 && application.found === undefined) throw new OpcodeFailure(application.problems.join());
  const pair = `unavailable Local State ${id}+${formatAddress(account.address)}`;
  throw new OpcodeFailure([...unlisted, ...application.problems, pair].join(', '));
}

/** The id in a message about an application that was not found: only one that is too low is named. */
function lowId(run: ProgramRun, reference: bigint): bigint {
  return resolvedApplication(run, reference) ?? 0n;
}

/** The account of an argument, whether the program may look at it or not. */
function unchecked(run: ProgramRun, value: StackValue): AccountReference {
  if (typeof value === 'bigint') return listedAccount(run, value);
  const address = addressOf(value);
  return { address, place: placeOfAccount(run, address) };
}
