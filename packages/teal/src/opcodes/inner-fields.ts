import { formatAddress } from '@avm402/algorand/address';
import { isAccountAvailable, isApplicationAvailable, isAssetAvailable } from '../machine/application/availability.ts';
import type { InnerTransaction, ProgramRun } from '../machine/application/group.ts';
import type { NetworkParameters } from '../machine/environment.ts';
import { byteTextOf, exactText } from '../go/byte-text.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES, type StackValue } from '../machine/stack-value.ts';
import { TYPES } from '../fields/transaction-fields.ts';
import { concatBytes } from '@noble/hashes/utils.js';

/** Sets a field of an inner transaction, or adds to one that is a list. */
type Set = (inner: InnerTransaction, value: StackValue, run: ProgramRun) => void;

/** Types that inner transactions may have, with the first version. */
const TYPE_SINCE: Readonly<Record<string, number>> = { pay: 5, axfer: 5, acfg: 5, afrz: 5, keyreg: 6, appl: 6 };
const MAX_DECIMALS = 19n;
const MAX_COMPLETION = 5n;
const MAX_GLOBALS = 64n;
const MAX_LOCALS = 16n;
const PAGE_BYTES = 2048;
const MAX_ARGUMENTS = 16;
const MAX_LISTED = 8;

const integer =
  (name: NameOf<bigint>): Set =>
  (inner, value) => {
    inner[name] = integerOf(value);
  };
const limited =
  (set: (inner: InnerTransaction, value: bigint) => void, max: bigint): Set =>
  (inner, value) => {
    const number = integerOf(value);
    if (number > max) throw new OpcodeFailure(`${number} is larger than max=${max}`);
    set(inner, number);
  };
const account =
  (name: NameOf<Uint8Array>): Set =>
  (inner, value, run) => {
    inner[name] = availableAccount(value, run);
  };
const asset =
  (name: NameOf<bigint>): Set =>
  (inner, value, run) => {
    inner[name] = availableAsset(value, run);
  };
const hash =
  (name: NameOf<Uint8Array>, label: string, length: number): Set =>
  (inner, value) => {
    inner[name] = hashOf(value, label, length);
  };
const parameter =
  (set: (value: StackValue) => Partial<InnerTransaction['assetParams']>): Set =>
  (inner, value) => {
    inner.assetParams = { ...inner.assetParams, ...set(value) };
  };
const program =
  (name: 'approvalProgram' | 'clearStateProgram', label: string, isPage: boolean): Set =>
  (inner, value, run) => {
    const bytes = typeof value === 'bigint' ? NO_BYTES : value;
    const before = isPage ? inner[name] : NO_BYTES;
    const max = PAGE_BYTES * (1 + limitsOf(run).extraPages);
    if (before.length + bytes.length > max) throw new OpcodeFailure(`${label} may not exceed ${max} bytes`);
    // An empty program counts as set, an empty page does not.
    const isEmpty = typeof value === 'object' && value.length === 0 && !isPage;
    inner[name] = isEmpty ? new Uint8Array() : before.length === 0 ? bytes : concatBytes(before, bytes);
  };

/** The names of the plain fields that have values of this type. */
type NameOf<Value> = {
  [Name in keyof InnerTransaction]-?: InnerTransaction[Name] extends Value ? Name : never;
}[keyof InnerTransaction];

/** How each field is set that can be set. */
export const INNER_FIELDS: Readonly<Record<string, Set>> = {
  Sender: account('sender'),
  Fee: integer('fee'),
  Note(inner, value, run) {
    const note = typeof value === 'bigint' ? NO_BYTES : value;
    const { noteBytes } = limitsOf(run);
    if (note.length > noteBytes) throw new OpcodeFailure(`Note may not exceed ${noteBytes} bytes`);
    inner.note = note;
  },
  Receiver: account('receiver'),
  Amount: integer('amount'),
  CloseRemainderTo: account('closeRemainderTo'),
  VotePK: hash('voteKey', 'VotePK', 32),
  SelectionPK: hash('selectionKey', 'SelectionPK', 32),
  StateProofPK: hash('stateProofKey', 'StateProofPK', 64),
  VoteFirst: integer('voteFirstValid'),
  VoteLast: integer('voteLastValid'),
  VoteKeyDilution: integer('voteKeyDilution'),
  Nonparticipation(inner, value) {
    inner.nonparticipation = booleanOf(value);
  },
  Type(inner, value, { version }) {
    if (typeof value === 'bigint') throw new OpcodeFailure('Type arg not a byte array');
    inner.type = typeOf(exactText(byteTextOf(value)), version);
  },
  TypeEnum(inner, value, { version }) {
    const number = integerOf(value);
    const type = number === 0n ? undefined : TYPES[Number(number)];
    if (type === undefined) throw new OpcodeFailure(`${number} is not a valid TypeEnum`);
    inner.type = typeOf(type, version);
  },
  XferAsset: asset('transferAsset'),
  AssetAmount: integer('assetAmount'),
  AssetSender: account('assetSender'),
  AssetReceiver: account('assetReceiver'),
  AssetCloseTo: account('assetCloseTo'),
  ApplicationID(inner, value, run) {
    inner.applicationId = availableApplication(value, run);
  },
  OnCompletion: limited((inner, value) => {
    inner.onCompletion = value;
  }, MAX_COMPLETION),
  ApplicationArgs(inner, value, run) {
    if (typeof value === 'bigint') throw new OpcodeFailure('ApplicationArg is not a byte array');
    const args = inner.applicationArgs ?? [];
    const total = args.reduce((sum, { length }) => sum + length, value.length);
    if (total > limitsOf(run).argumentBytes) throw new OpcodeFailure('total application args length too long');
    if (args.length >= MAX_ARGUMENTS) throw new OpcodeFailure('too many application args');
    inner.applicationArgs = [...args, value];
  },
  Accounts(inner, value, run) {
    inner.accounts = appended(inner.accounts, availableAccount(value, run), 'accounts');
  },
  ApprovalProgram: program('approvalProgram', 'ApprovalProgram', false),
  ClearStateProgram: program('clearStateProgram', 'ClearStateProgram', false),
  ApprovalProgramPages: program('approvalProgram', 'ApprovalProgramPages', true),
  ClearStateProgramPages: program('clearStateProgram', 'ClearStateProgramPages', true),
  RekeyTo(inner, value) {
    inner.rekeyTo = addressOf(value);
  },
  ConfigAsset: asset('configAsset'),
  ConfigAssetTotal: parameter((value) => ({ total: integerOf(value) })),
  ConfigAssetDecimals: limited((inner, value) => {
    inner.assetParams = { ...inner.assetParams, decimals: Number(value) };
  }, MAX_DECIMALS),
  ConfigAssetDefaultFrozen: parameter((value) => ({ defaultFrozen: booleanOf(value) })),
  ConfigAssetUnitName: parameter((value) => ({ unitName: textOf(value, 8) })),
  ConfigAssetName: parameter((value) => ({ name: textOf(value, 32) })),
  ConfigAssetURL: parameter((value) => ({ url: textOf(value, 96) })),
  ConfigAssetMetadataHash: parameter((value) => ({ metadataHash: hashOf(value, 'ConfigAssetMetadataHash', 32) })),
  ConfigAssetManager: parameter((value) => ({ manager: addressOf(value) })),
  ConfigAssetReserve: parameter((value) => ({ reserve: addressOf(value) })),
  ConfigAssetFreeze: parameter((value) => ({ freeze: addressOf(value) })),
  ConfigAssetClawback: parameter((value) => ({ clawback: addressOf(value) })),
  FreezeAsset: asset('freezeAsset'),
  FreezeAssetAccount: account('freezeAccount'),
  FreezeAssetFrozen(inner, value) {
    inner.assetFrozen = booleanOf(value);
  },
  Assets(inner, value, run) {
    inner.foreignAssets = appended(inner.foreignAssets, availableAsset(value, run), 'assets');
  },
  Applications(inner, value, run) {
    inner.foreignApps = appended(inner.foreignApps, availableApplication(value, run), 'apps');
  },
  GlobalNumUint: limited((inner, value) => {
    inner.globalStateSchema = { ...inner.globalStateSchema, uints: value };
  }, MAX_GLOBALS),
  GlobalNumByteSlice: limited((inner, value) => {
    inner.globalStateSchema = { ...inner.globalStateSchema, byteSlices: value };
  }, MAX_GLOBALS),
  LocalNumUint: limited((inner, value) => {
    inner.localStateSchema = { ...inner.localStateSchema, uints: value };
  }, MAX_LOCALS),
  LocalNumByteSlice: limited((inner, value) => {
    inner.localStateSchema = { ...inner.localStateSchema, byteSlices: value };
  }, MAX_LOCALS),
  ExtraProgramPages(inner, value, run) {
    const set = limited(
      (one, pages) => {
        one.extraProgramPages = Number(pages);
      },
      BigInt(limitsOf(run).extraPages),
    );
    set(inner, value, run);
  },
  RejectVersion: integer('rejectVersion'),
};

const limitsOf = ({ shared }: ProgramRun): NetworkParameters['inner'] => shared.environment.parameters.inner;

function integerOf(value: StackValue): bigint {
  if (typeof value === 'bigint') return value;
  const bytes = Array.from(value, (byte) => `0x${byte.toString(16)}`).join(', ');
  throw new OpcodeFailure(`[]byte{${bytes}} is not a uint64`);
}

function booleanOf(value: StackValue): boolean {
  const number = integerOf(value);
  if (number > 1n) throw new OpcodeFailure(`boolean is neither 1 nor 0: ${number}`);
  return number === 1n;
}

function addressOf(value: StackValue): Uint8Array {
  if (typeof value === 'bigint' || value.length !== 32) throw new OpcodeFailure('not an address');
  return value;
}

function textOf(value: StackValue, max: number): Uint8Array {
  if (typeof value === 'bigint') throw new OpcodeFailure('not a byte array');
  if (value.length > max) throw new OpcodeFailure('value is too long');
  return value;
}

function hashOf(value: StackValue, label: string, length: number): Uint8Array {
  if (typeof value === 'bigint' || value.length !== length) throw new OpcodeFailure(`${label} must be ${length} bytes`);
  return value;
}

function typeOf(type: string, version: number): string {
  if (version >= (TYPE_SINCE[type] ?? Infinity)) return type;
  throw new OpcodeFailure(`${type} is not a valid Type for itxn_field`);
}

function availableAccount(value: StackValue, run: ProgramRun): Uint8Array {
  const address = addressOf(value);
  if (isAccountAvailable(run, address)) return address;
  throw new OpcodeFailure(`unavailable Account ${formatAddress(address)}`);
}

function availableAsset(value: StackValue, run: ProgramRun): bigint {
  const id = integerOf(value);
  if (isAssetAvailable(run, id)) return id;
  throw new OpcodeFailure(`unavailable Asset ${id} during assignment &{}`);
}

function availableApplication(value: StackValue, run: ProgramRun): bigint {
  const id = integerOf(value);
  if (isApplicationAvailable(run, id)) return id;
  throw new OpcodeFailure(`unavailable App ${id}`);
}

function appended<T>(list: readonly T[] | undefined, item: T, what: string): readonly T[] {
  if ((list?.length ?? 0) >= MAX_LISTED) throw new OpcodeFailure(`too many foreign ${what}`);
  return [...(list ?? []), item];
}
