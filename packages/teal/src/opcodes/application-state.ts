import { formatAddress } from '@avm402/algorand/address';
import { sameBytes } from '@avm402/algorand/bytes';
import { APP_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { encodeHex } from '../go/hex.ts';
import { byteKey } from '../machine/application/byte-key.ts';
import type { StateChanges } from '../machine/application/effects.ts';
import type { ProgramRun } from '../machine/application/group.ts';
import type { BoxAccess } from '../machine/application/ledger.ts';
import { type AccountReference, applicationOf, localsOf, mutableAccountOf } from '../machine/application/references.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { oneOf, onlyIn, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { sameValue, type StackValue } from '../machine/stack-value.ts';
import { ledgerField, putField } from './ledger-field.ts';
import { changedLocalAt, globalAt, globalOfAnyAt, localAt, localOfAnyAt } from './state-places.ts';
import { SHARED_SINCE } from '../machine/limits.ts';

/** An application's own state. */
export const APPLICATION_STATE_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  { byte: 0x61, name: 'app_opted_in', stack: 'ii:T', since: 2, later: { since: 4, stack: 'ai:T' }, run: appOptedIn },
  {
    byte: 0x62,
    name: 'app_local_get',
    stack: 'iK:a',
    since: 2,
    later: { since: 4, stack: 'aK:a' },
    run: appLocalGet,
    touches: localAt,
  },
  {
    byte: 0x63,
    name: 'app_local_get_ex',
    stack: 'iiK:aT',
    since: 2,
    later: { since: 4, stack: 'aiK:aT' },
    run: appLocalGetEx,
    touches: localOfAnyAt,
  },
  { byte: 0x64, name: 'app_global_get', stack: 'K:a', since: 2, run: appGlobalGet, touches: globalAt('read', 0) },
  { byte: 0x65, name: 'app_global_get_ex', stack: 'iK:aT', since: 2, run: appGlobalGetEx, touches: globalOfAnyAt },
  {
    byte: 0x66,
    name: 'app_local_put',
    stack: 'iKa:',
    since: 2,
    later: { since: 4, stack: 'aKa:' },
    run: appLocalPut,
    touches: changedLocalAt('write', 1),
  },
  { byte: 0x67, name: 'app_global_put', stack: 'Ka:', since: 2, run: appGlobalPut, touches: globalAt('write', 1) },
  {
    byte: 0x68,
    name: 'app_local_del',
    stack: 'iK:',
    since: 2,
    later: { since: 4, stack: 'aK:' },
    run: appLocalDel,
    touches: changedLocalAt('delete', 0),
  },
  { byte: 0x69, name: 'app_global_del', stack: 'K:', since: 2, run: appGlobalDel, touches: globalAt('delete', 0) },
  {
    byte: 0x72,
    name: 'app_params_get',
    immediates: [oneOf('f', APP_PARAMS_FIELDS)],
    stack: 'i:aT',
    since: 5,
    run: applicationField,
  },
  { byte: 0xb0, name: 'log', stack: 'b:', since: 5, run: log },
  {
    byte: 0x76,
    name: 'app_params_set',
    immediates: [oneOf('f', APP_PARAMS_FIELDS, { sets: 'settable' })],
    stack: 'i:',
    since: 13,
    run: setApplicationField,
  },
]);

const MAX_KEY = 64;
const MAX_VALUE = 128;
const MAX_KEY_AND_VALUE = 128;

function appOptedIn(machine: Machine): void {
  const run = machine.application;
  const { address, applicationId } = localsOf(run, machine.value(1), machine.integer(0));
  machine.replace(2, truth(run.shared.ledger.isOptedIn(address, applicationId)));
}

function appLocalGet(machine: Machine): void {
  const run = machine.application;
  machine.replace(2, localValue(run, localsOf(run, machine.value(1), 0n), machine.bytes(0)) ?? 0n);
}

function appLocalGetEx(machine: Machine): void {
  const run = machine.application;
  const value = localValue(run, localsOf(run, machine.value(2), machine.integer(1)), machine.bytes(0));
  putField(machine, 3, value);
}

function appGlobalGet(machine: Machine): void {
  const run = machine.application;
  machine.replace(1, globalValue(run, run.applicationId, machine.bytes(0)) ?? 0n);
}

function appGlobalGetEx(machine: Machine): void {
  const run = machine.application;
  const id = applicationOf(run, machine.integer(1), 'slots');
  putField(machine, 2, globalValue(run, id, machine.bytes(0)));
}

function appLocalPut(machine: Machine): void {
  const run = machine.application;
  const [key, value] = [machine.bytes(1), machine.value(0)];
  checkKey(key);
  const account = writableLocals(run, machine.value(2));
  const present = localValue(run, account, key);
  const { sharedAccounts } = run.effects;
  const shared = sharedAccounts.length;
  if (present === undefined || !sameValue(present, value)) localChanges(run, account).set(byteKey(key), value);
  try {
    checkLengths(key, value);
    run.shared.ledger.setLocal(account.address, run.applicationId, key, value);
  } catch (error) {
    // A simulation shows the change that was refused, but not the place that its account was given for it.
    sharedAccounts.length = shared;
    throw error;
  }
  machine.drop(3);
}

function appGlobalPut(machine: Machine): void {
  const run = machine.application;
  const [key, value] = [machine.bytes(1), machine.value(0)];
  checkKey(key);
  const present = globalValue(run, run.applicationId, key);
  if (present === undefined || !sameValue(present, value)) run.effects.globals.set(byteKey(key), value);
  checkLengths(key, value);
  run.shared.ledger.setGlobal(run.applicationId, key, value);
  machine.drop(2);
}

function appLocalDel(machine: Machine): void {
  const run = machine.application;
  const key = machine.bytes(0);
  const account = writableLocals(run, machine.value(1));
  const { ledger } = run.shared;
  if (!ledger.isOptedIn(account.address, run.applicationId))
    throw notOptedIn('del', account.address, run.applicationId);
  if (ledger.local(account.address, run.applicationId, key) !== undefined) {
    localChanges(run, account).set(byteKey(key), undefined);
    ledger.setLocal(account.address, run.applicationId, key, undefined);
  }
  machine.drop(2);
}

function appGlobalDel(machine: Machine): void {
  const run = machine.application;
  const key = machine.bytes(0);
  const { ledger } = run.shared;
  if (ledger.global(run.applicationId, key) !== undefined) {
    run.effects.globals.set(byteKey(key), undefined);
    ledger.setGlobal(run.applicationId, key, undefined);
  }
  machine.drop(1);
}

function log(machine: Machine): void {
  const { effects, shared } = machine.application;
  const { maxLogCalls, maxLogBytes } = shared.limits;
  const { logs } = effects;
  if (logs.length >= maxLogCalls) {
    throw new OpcodeFailure(`too many log calls in program. up to ${maxLogCalls} is allowed`);
  }
  const entry = machine.bytes(0);
  const bytes = logs.reduce((sum, { length }) => sum + length, entry.length);
  if (bytes > maxLogBytes) {
    throw new OpcodeFailure(`program logs too large. ${bytes} bytes >  ${maxLogBytes} bytes limit`);
  }
  logs.push(entry);
  machine.drop(1);
}

function writableLocals(run: ProgramRun, account: StackValue): AccountReference {
  const found = mutableAccountOf(run, account);
  return run.version >= SHARED_SINCE ? localsOf(run, account, 0n) : found;
}

function localValue(
  { applicationId: own, shared: { ledger } }: ProgramRun,
  { address, applicationId = own }: AccountReference & { readonly applicationId?: bigint },
  key: Uint8Array,
): StackValue | undefined {
  if (!ledger.isOptedIn(address, applicationId)) throw notOptedIn('fetch', address, applicationId);
  return ledger.local(address, applicationId, key);
}

function notOptedIn(action: 'fetch' | 'del', address: Uint8Array, applicationId: bigint): OpcodeFailure {
  const who = formatAddress(address);
  return new OpcodeFailure(`cannot ${action} key, ${who} has not opted in to app ${applicationId}`);
}

function globalValue({ shared: { ledger } }: ProgramRun, id: bigint, key: Uint8Array): StackValue | undefined {
  if (ledger.application(id) === undefined) throw new OpcodeFailure(`app ${id} does not exist`);
  return ledger.global(id, key);
}

/** The noted changes of an account's state. An account that the call does not list gets a place after those. */
function localChanges(run: ProgramRun, account: AccountReference): StateChanges {
  const { locals } = run.effects;
  const place = placeOf(run, account);
  const known = locals.get(place);
  if (known !== undefined) return known;
  const changes: StateChanges = new Map();
  locals.set(place, changes);
  return changes;
}

/** Places in an access list count for none. */
function placeOf({ transaction, effects }: ProgramRun, { address, place }: AccountReference): number {
  const listed = transaction.accounts?.length ?? 0;
  if (place !== undefined && place <= listed) return place;
  const { sharedAccounts } = effects;
  const known = sharedAccounts.findIndex((one) => sameBytes(one, address));
  const index = known === -1 ? sharedAccounts.push(address) - 1 : known;
  return listed + 1 + index;
}

function checkKey(key: Uint8Array): void {
  if (key.length > MAX_KEY) {
    throw new OpcodeFailure(`key too long: length was ${key.length}, maximum is ${MAX_KEY}`);
  }
}

function checkLengths(key: Uint8Array, value: StackValue): void {
  if (typeof value === 'bigint') return;
  const { length } = value;
  if (length > MAX_VALUE) throw new OpcodeFailure(`value too long for key ${encodeHex(key)}: length was ${length}`);
  const sum = key.length + length;
  if (sum > MAX_KEY_AND_VALUE) {
    throw new OpcodeFailure(`key/value total too long for key ${encodeHex(key)}: sum was ${sum}`);
  }
}

/** The permissions that an application can set, by field. */
const SETTABLE: Readonly<Record<string, keyof BoxAccess>> = {
  AppForeignBoxReads: 'foreignBoxReads',
  AppFamilyBoxAccess: 'familyBoxAccess',
};

function applicationField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const { read } = ledgerField(machine, 'app_params_get', APP_PARAMS_FIELDS, first);
  const id = applicationOf(run, machine.integer(0), 'slots');
  const application = run.shared.ledger.application(id);
  putField(machine, 1, application && read(application, id));
}

/** The value leaves the stack before anything can fail. */
function setApplicationField(machine: Machine, { first }: Operands): void {
  const { applicationId, shared } = machine.application;
  const isSet = machine.integer(0) !== 0n;
  machine.drop(1);
  const name = SETTABLE[APP_PARAMS_FIELDS.fieldOf(first)?.name ?? ''];
  const present = shared.ledger.application(applicationId);
  if (name === undefined || present === undefined) throw new OpcodeFailure(`invalid app_params_set field ${first}`);
  const { foreignBoxReads, familyBoxAccess } = present;
  shared.ledger.setBoxAccess(applicationId, { foreignBoxReads, familyBoxAccess, [name]: isSet });
}
