// Which resources a program may touch, looked up anew in the group's transactions each time.
import type { Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../../../src/transaction/address-key.ts';
import { addressOf, textOf, type GroupRun, type NaiveTransaction, type ProgramRun } from './run.ts';
import { givenKey, pair, refuse, type Value } from './world.ts';

interface Shared {
  readonly accounts: readonly AddressKey[];
  readonly assets: readonly bigint[];
  readonly applications: readonly bigint[];
  readonly holdings: readonly string[];
  readonly locals: readonly string[];
}

const pairs = (owners: readonly AddressKey[], ids: readonly bigint[]): string[] =>
  owners.flatMap((owner) => ids.map((id) => pair(owner, id)));

/** What a transaction that was sent to the node shares with its whole group. */
function sharedBy(transaction: Transaction): Shared {
  const sender = addressKey(transaction.sender);
  const none = { accounts: [sender], assets: [], applications: [], holdings: [], locals: [] };
  const given = (...list: Uint8Array[]): AddressKey[] => list.flatMap((one) => givenKey(one) ?? []);
  switch (transaction.type) {
    case 'pay':
      return {
        ...none,
        accounts: [sender, addressKey(transaction.receiver), ...given(transaction.closeRemainderTo)],
      };
    case 'axfer': {
      const { transferAsset: asset, assetSender, assetCloseTo } = transaction;
      const accounts = [sender, addressKey(transaction.assetReceiver), ...given(assetSender, assetCloseTo)];
      return { ...none, accounts, assets: [asset], holdings: pairs(accounts, [asset]) };
    }
    case 'acfg':
      return { ...none, assets: transaction.configAsset === 0n ? [] : [transaction.configAsset] };
    case 'afrz': {
      const [asset, account] = [transaction.freezeAsset, addressKey(transaction.freezeAccount)];
      return { ...none, accounts: [sender, account], assets: [asset], holdings: [pair(account, asset)] };
    }
    case 'appl':
      return transaction.access === undefined ? sharedByLists(transaction) : sharedByAccess(transaction);
    default:
      return none;
  }
}

function sharedByLists({
  sender,
  applicationId,
  accounts = [],
  foreignApps = [],
  foreignAssets = [],
}: Transaction): Shared {
  const applications = [...(applicationId === 0n ? [] : [applicationId]), ...foreignApps];
  const all = [addressKey(sender), ...accounts.map(addressKey), ...applications.map(addressOf)];
  return {
    accounts: all,
    assets: foreignAssets,
    applications,
    holdings: pairs(all, foreignAssets),
    locals: pairs(all, applications),
  };
}

function sharedByAccess({ sender, applicationId, access = [] }: Transaction): Shared {
  const own = addressKey(sender);
  const at = (place: bigint) => access[Number(place) - 1];
  const addressAt = (place: bigint): AddressKey => (place === 0n ? own : addressKey(at(place)?.address ?? sender));
  const called = applicationId === 0n ? [] : [applicationId];
  const locals = access.filter(({ locals: { address, application } }) => address + application > 0n);
  return {
    accounts: [own, ...access.flatMap(({ address }) => givenKey(address) ?? [])],
    assets: access.map(({ asset }) => asset).filter((id) => id > 0n),
    applications: [...called, ...access.map(({ application }) => application).filter((id) => id > 0n)],
    holdings: access
      .filter(({ holding }) => holding.asset > 0n)
      .map(({ holding }) => pair(addressAt(holding.address), at(holding.asset)?.asset ?? 0n)),
    locals: [
      ...pairs([own], called),
      ...locals.map(({ locals: { address, application } }) =>
        pair(addressAt(address), application === 0n ? applicationId : (at(application)?.application ?? 0n)),
      ),
    ],
  };
}

const inGroup = (group: GroupRun, has: (shared: Shared) => boolean): boolean =>
  group.members.some(({ transaction }) => has(sharedBy(transaction)));

const isNewAccount = (group: GroupRun, key: AddressKey): boolean =>
  [...group.newApplications].some((id) => addressOf(id) === key);

/** The place of an account in the call's own lists: 0 for the sender. */
export function placeOf(
  { transaction: { sender, accounts = [], access } }: ProgramRun,
  key: AddressKey,
): number | undefined {
  const listed = access?.map(({ address }) => address) ?? accounts;
  const place = [sender, ...listed].findIndex((address) => addressKey(address) === key);
  return place === -1 ? undefined : place;
}

export function isAccountAvailable(run: ProgramRun, key: AddressKey): boolean {
  const { group, plan, transaction } = run;
  return (
    placeOf(run, key) !== undefined ||
    isNewAccount(group, key) ||
    (plan.version >= 9 && inGroup(group, ({ accounts }) => accounts.includes(key))) ||
    (transaction.foreignApps ?? []).some((id) => addressOf(id) === key) ||
    addressOf(run.application) === key
  );
}

export function isAssetAvailable(
  { group, plan, transaction: { foreignAssets = [], access = [] } }: ProgramRun,
  id: bigint,
): boolean {
  return (
    foreignAssets.includes(id) ||
    access.some(({ asset }) => asset === id) ||
    group.newAssets.has(id) ||
    (plan.version >= 9 && inGroup(group, ({ assets }) => assets.includes(id)))
  );
}

export function isApplicationAvailable(run: ProgramRun, id: bigint): boolean {
  const { group, plan, application, transaction } = run;
  return (
    id === application ||
    (transaction.foreignApps ?? []).includes(id) ||
    (transaction.access ?? []).some((entry) => entry.application === id) ||
    group.newApplications.has(id) ||
    (plan.version >= 9 && inGroup(group, ({ applications }) => applications.includes(id)))
  );
}

export function isHoldingAvailable(run: ProgramRun, owner: AddressKey, id: bigint): boolean {
  const { group } = run;
  if (inGroup(group, ({ holdings }) => holdings.includes(pair(owner, id)))) return true;
  if (group.newAssets.has(id)) return isAccountAvailable(run, owner);
  return isNewAccount(group, owner) && isAssetAvailable(run, id);
}

export function areLocalsAvailable(run: ProgramRun, owner: AddressKey, id: bigint): boolean {
  const { group } = run;
  if (inGroup(group, ({ locals }) => locals.includes(pair(owner, id)))) return true;
  if (group.newApplications.has(id)) return isAccountAvailable(run, owner);
  return isNewAccount(group, owner) && isApplicationAvailable(run, id);
}

/** The account that an operand stands for, without looking whether it is available. */
export function accountAt({ transaction: { sender, accounts = [], access } }: ProgramRun, operand: Value): AddressKey {
  if (typeof operand === 'string') return operand;
  if (operand === 0n) return addressKey(sender);
  const place = Number(operand) - 1;
  if (access === undefined) {
    return addressKey(accounts[place] ?? refuse(`invalid Account reference ${operand} exceeds length of tx.Accounts`));
  }
  const entry = access[place] ?? refuse(`invalid Account reference ${operand} exceeds length of tx.Access`);
  return givenKey(entry.address) ?? refuse(`address reference ${operand} is not an Address in tx.Access`);
}

/** An account that a program may look at; one given by its place is listed. */
export function availableAccount(run: ProgramRun, operand: Value): AddressKey {
  const key = accountAt(run, operand);
  if (typeof operand === 'string' && !isAccountAvailable(run, key)) refuse('unavailable Account');
  return key;
}

function applicationAt(run: ProgramRun, operand: bigint): bigint | undefined {
  const { foreignApps = [], access = [] } = run.transaction;
  if (operand === 0n) return run.application;
  if (isApplicationAvailable(run, operand)) return operand;
  const place = Number(operand) - 1;
  return foreignApps[place] ?? (access[place]?.application || undefined);
}

function assetAt(run: ProgramRun, operand: bigint): bigint | undefined {
  const { foreignAssets = [], access = [] } = run.transaction;
  if (isAssetAvailable(run, operand)) return operand;
  return foreignAssets[Number(operand)] ?? (access[Number(operand) - 1]?.asset || undefined);
}

/** The application that an operand stands for, by its id or its place. */
export function availableApplication(run: ProgramRun, operand: bigint): bigint {
  const id = applicationAt(run, operand) ?? refuse(`unavailable App ${operand}`);
  return id > 255n ? id : refuse(`low App lookup ${id}`);
}

/** The account and the asset of a holding that a program may look at. */
export function availableHolding(run: ProgramRun, account: Value, asset: bigint): readonly [AddressKey, bigint] {
  if (run.plan.version < 9) {
    const owner = availableAccount(run, account);
    const id = assetAt(run, asset) ?? refuse(`unavailable Asset ${asset}`);
    return [owner, id > 255n ? id : refuse(`low Asset lookup ${id}`)];
  }
  const [owner, id] = [accountAt(run, account), assetAt(run, asset)];
  if (id !== undefined && id <= 255n) return refuse(`low Asset lookup ${id}`);
  if (id === undefined || !isHoldingAvailable(run, owner, id)) return refuse('unavailable ');
  return [owner, id];
}

/** The account and the application of a local state that a program may look at. */
export function availableLocals(run: ProgramRun, account: Value, application: bigint): readonly [AddressKey, bigint] {
  if (run.plan.version < 9) return [availableAccount(run, account), availableApplication(run, application)];
  const [owner, id] = [accountAt(run, account), applicationAt(run, application)];
  if (id !== undefined && id <= 255n) return refuse(`low App lookup ${id}`);
  if (id === undefined || !areLocalsAvailable(run, owner, id)) return refuse('unavailable ');
  return [owner, id];
}

/** A box that a call names, with its application; blank if it only adds to the budget. */
export interface NamedBox {
  readonly key: string | undefined;
}

/** The boxes that the group's calls name, as far as their applications exist. */
export function namedBoxes({ members }: GroupRun): readonly NamedBox[] {
  return members.flatMap((member) => boxesOf(member));
}

function boxesOf({ transaction, applicationId: created }: NaiveTransaction): readonly NamedBox[] {
  const { applicationId, access, boxes = [], foreignApps = [] } = transaction;
  const own = applicationId === 0n ? created : applicationId;
  const named = ({ index, name }: NonNullable<typeof boxes>[number], ids: readonly bigint[]): NamedBox => {
    if (index === 0n && name === undefined) return { key: undefined };
    const id = index === 0n ? own : ids[Number(index) - 1];
    return { key: id === undefined ? 'of an application to come' : pair(id, textOf(name ?? new Uint8Array(0))) };
  };
  if (access === undefined) return boxes.map((box) => named(box, foreignApps));
  const ids = access.map(({ application }) => application);
  return access.filter(isBoxEntry).map(({ box }) => named(box, ids));
}

function isBoxEntry(entry: NonNullable<Transaction['access']>[number]): boolean {
  const { asset, application, holding, locals } = entry;
  const numbers = [asset, application, holding.address, holding.asset, locals.address, locals.application];
  return givenKey(entry.address) === undefined && numbers.every((number) => number === 0n);
}
