import type { Effects } from '../machine/application/effects.ts';
import { type Context, pastBlock } from '../machine/context.ts';
import { type Field, fieldGroup, type FieldGroup } from '../machine/field-group.ts';
import type { GroupTransaction, TransactionFields } from '../machine/group-transaction.ts';
import { NO_BYTES, type StackValue } from '../machine/stack-value.ts';
import { MAX_BYTES } from '../machine/limits.ts';

/** A field of a transaction, and the source of its value. */
export interface TransactionField extends Field {
  readonly read?: (t: TransactionFields, member: GroupTransaction, context: Context) => StackValue | number | boolean;
  /** The values of an array field. */
  readonly list?: (t: TransactionFields) => readonly StackValue[];
  /** An effect of the transaction, which can be read once the transaction is over. */
  readonly effect?: (e: Effects) => StackValue | number | readonly StackValue[];
}

/** An effect of a transaction, which only programs of applications can read. */
function done(effect: NonNullable<TransactionField['effect']>): Pick<TransactionField, 'modes' | 'effect'> {
  return { modes: ['application'], effect };
}

/** Types of transactions by number. */
export const TYPES: readonly string[] = ['', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl', 'stpf', 'hb'];
const textEncoder = new TextEncoder();

/** Fields of a transaction. */
export const TRANSACTION_FIELDS: FieldGroup<TransactionField> = fieldGroup('txn', 'TxnField', [
  { code: 0, name: 'Sender', type: 'address', settable: 5, read: (t) => t.sender },
  { code: 1, name: 'Fee', type: 'uint64', settable: 5, read: (t) => t.fee },
  { code: 2, name: 'FirstValid', type: 'uint64', read: (t) => t.firstValid },
  {
    code: 3,
    name: 'FirstValidTime',
    type: 'uint64',
    since: 7,
    read: (t, _, c) => pastBlock(c, BigInt.asUintN(64, t.firstValid - 1n)).timestamp,
  },
  { code: 4, name: 'LastValid', type: 'uint64', read: (t) => t.lastValid },
  { code: 5, name: 'Note', type: '[]byte', settable: 6, read: (t) => t.note },
  { code: 6, name: 'Lease', type: '[32]byte', read: (t) => t.lease },
  { code: 7, name: 'Receiver', type: 'address', settable: 5, read: (t) => t.receiver },
  { code: 8, name: 'Amount', type: 'uint64', settable: 5, read: (t) => t.amount },
  { code: 9, name: 'CloseRemainderTo', type: 'address', settable: 5, read: (t) => t.closeRemainderTo },
  { code: 10, name: 'VotePK', type: '[32]byte', settable: 6, read: (t) => t.voteKey },
  { code: 11, name: 'SelectionPK', type: '[32]byte', settable: 6, read: (t) => t.selectionKey },
  { code: 12, name: 'VoteFirst', type: 'uint64', settable: 6, read: (t) => t.voteFirstValid },
  { code: 13, name: 'VoteLast', type: 'uint64', settable: 6, read: (t) => t.voteLastValid },
  { code: 14, name: 'VoteKeyDilution', type: 'uint64', settable: 6, read: (t) => t.voteKeyDilution },
  { code: 15, name: 'Type', type: '[]byte', settable: 5, read: (t) => textEncoder.encode(t.type) },
  { code: 16, name: 'TypeEnum', type: 'uint64', settable: 5, read: (t) => BigInt(Math.max(TYPES.indexOf(t.type), 0)) },
  { code: 17, name: 'XferAsset', type: 'uint64', settable: 5, read: (t) => t.transferAsset },
  { code: 18, name: 'AssetAmount', type: 'uint64', settable: 5, read: (t) => t.assetAmount },
  { code: 19, name: 'AssetSender', type: 'address', settable: 5, read: (t) => t.assetSender },
  { code: 20, name: 'AssetReceiver', type: 'address', settable: 5, read: (t) => t.assetReceiver },
  { code: 21, name: 'AssetCloseTo', type: 'address', settable: 5, read: (t) => t.assetCloseTo },
  { code: 22, name: 'GroupIndex', type: 'uint64', read: (_, member, { group }) => BigInt(group.indexOf(member)) },
  { code: 23, name: 'TxID', type: '[32]byte', read: (_, member) => member.txId },
  { code: 24, name: 'ApplicationID', type: 'uint64', since: 2, settable: 6, read: (t) => t.applicationId },
  { code: 25, name: 'OnCompletion', type: 'uint64', since: 2, settable: 6, read: (t) => t.onCompletion },
  {
    code: 26,
    name: 'ApplicationArgs',
    type: '[]byte',
    since: 2,
    array: true,
    settable: 6,
    list: (t) => t.applicationArgs ?? [],
  },
  { code: 27, name: 'NumAppArgs', type: 'uint64', since: 2, read: (t) => count(t.applicationArgs) },
  {
    code: 28,
    name: 'Accounts',
    type: 'address',
    since: 2,
    array: true,
    settable: 6,
    list: (t) => [t.sender, ...(t.accounts ?? [])],
  },
  { code: 29, name: 'NumAccounts', type: 'uint64', since: 2, read: (t) => count(t.accounts) },
  { code: 30, name: 'ApprovalProgram', type: '[]byte', since: 2, settable: 6, read: (t) => t.approvalProgram },
  { code: 31, name: 'ClearStateProgram', type: '[]byte', since: 2, settable: 6, read: (t) => t.clearStateProgram },
  { code: 32, name: 'RekeyTo', type: 'address', since: 2, settable: 6, read: (t) => t.rekeyTo },
  { code: 33, name: 'ConfigAsset', type: 'uint64', since: 2, settable: 5, read: (t) => t.configAsset },
  { code: 34, name: 'ConfigAssetTotal', type: 'uint64', since: 2, settable: 5, read: (t) => t.assetParams.total },
  { code: 35, name: 'ConfigAssetDecimals', type: 'uint64', since: 2, settable: 5, read: (t) => t.assetParams.decimals },
  {
    code: 36,
    name: 'ConfigAssetDefaultFrozen',
    type: 'bool',
    since: 2,
    settable: 5,
    read: (t) => t.assetParams.defaultFrozen,
  },
  { code: 37, name: 'ConfigAssetUnitName', type: '[]byte', since: 2, settable: 5, read: (t) => t.assetParams.unitName },
  { code: 38, name: 'ConfigAssetName', type: '[]byte', since: 2, settable: 5, read: (t) => t.assetParams.name },
  { code: 39, name: 'ConfigAssetURL', type: '[]byte', since: 2, settable: 5, read: (t) => t.assetParams.url },
  {
    code: 40,
    name: 'ConfigAssetMetadataHash',
    type: '[32]byte',
    since: 2,
    settable: 5,
    read: (t) => t.assetParams.metadataHash,
  },
  { code: 41, name: 'ConfigAssetManager', type: 'address', since: 2, settable: 5, read: (t) => t.assetParams.manager },
  { code: 42, name: 'ConfigAssetReserve', type: 'address', since: 2, settable: 5, read: (t) => t.assetParams.reserve },
  { code: 43, name: 'ConfigAssetFreeze', type: 'address', since: 2, settable: 5, read: (t) => t.assetParams.freeze },
  {
    code: 44,
    name: 'ConfigAssetClawback',
    type: 'address',
    since: 2,
    settable: 5,
    read: (t) => t.assetParams.clawback,
  },
  { code: 45, name: 'FreezeAsset', type: 'uint64', since: 2, settable: 5, read: (t) => t.freezeAsset },
  { code: 46, name: 'FreezeAssetAccount', type: 'address', since: 2, settable: 5, read: (t) => t.freezeAccount },
  { code: 47, name: 'FreezeAssetFrozen', type: 'bool', since: 2, settable: 5, read: (t) => t.assetFrozen },
  { code: 48, name: 'Assets', type: 'uint64', since: 3, array: true, settable: 6, list: (t) => t.foreignAssets ?? [] },
  { code: 49, name: 'NumAssets', type: 'uint64', since: 3, read: (t) => count(t.foreignAssets) },
  {
    code: 50,
    name: 'Applications',
    type: 'uint64',
    since: 3,
    array: true,
    settable: 6,
    list: (t) => [t.applicationId, ...(t.foreignApps ?? [])],
  },
  { code: 51, name: 'NumApplications', type: 'uint64', since: 3, read: (t) => count(t.foreignApps) },
  { code: 52, name: 'GlobalNumUint', type: 'uint64', since: 3, settable: 6, read: (t) => t.globalStateSchema.uints },
  {
    code: 53,
    name: 'GlobalNumByteSlice',
    type: 'uint64',
    since: 3,
    settable: 6,
    read: (t) => t.globalStateSchema.byteSlices,
  },
  { code: 54, name: 'LocalNumUint', type: 'uint64', since: 3, settable: 6, read: (t) => t.localStateSchema.uints },
  {
    code: 55,
    name: 'LocalNumByteSlice',
    type: 'uint64',
    since: 3,
    settable: 6,
    read: (t) => t.localStateSchema.byteSlices,
  },
  { code: 56, name: 'ExtraProgramPages', type: 'uint64', since: 4, settable: 6, read: (t) => t.extraProgramPages },
  { code: 57, name: 'Nonparticipation', type: 'bool', since: 5, settable: 6, read: (t) => t.nonparticipation },
  { code: 58, name: 'Logs', type: '[]byte', since: 5, array: true, ...done(logsOf) },
  { code: 59, name: 'NumLogs', type: 'uint64', since: 5, ...done((e) => logsOf(e).length) },
  { code: 60, name: 'CreatedAssetID', type: 'uint64', since: 5, ...done((e) => e.configAsset ?? 0n) },
  { code: 61, name: 'CreatedApplicationID', type: 'uint64', since: 5, ...done((e) => e.applicationId ?? 0n) },
  { code: 62, name: 'LastLog', type: '[]byte', since: 6, ...done((e) => logsOf(e).at(-1) ?? NO_BYTES) },
  { code: 63, name: 'StateProofPK', type: '[64]byte', since: 6, settable: 6, read: (t) => t.stateProofKey },
  {
    code: 64,
    name: 'ApprovalProgramPages',
    type: '[]byte',
    since: 7,
    array: true,
    settable: 7,
    list: (t) => pages(t.approvalProgram),
  },
  { code: 65, name: 'NumApprovalProgramPages', type: 'uint64', since: 7, read: (t) => count(pages(t.approvalProgram)) },
  {
    code: 66,
    name: 'ClearStateProgramPages',
    type: '[]byte',
    since: 7,
    array: true,
    settable: 7,
    list: (t) => pages(t.clearStateProgram),
  },
  {
    code: 67,
    name: 'NumClearStateProgramPages',
    type: 'uint64',
    since: 7,
    read: (t) => count(pages(t.clearStateProgram)),
  },
  { code: 68, name: 'RejectVersion', type: 'uint64', since: 12, settable: 12, read: (t) => t.rejectVersion },
]);

function logsOf({ program }: Effects): readonly Uint8Array[] {
  return program?.logs ?? [];
}

function count(list: readonly unknown[] | undefined): bigint {
  return BigInt(list?.length ?? 0);
}

/** Splits a program into pieces that fit on the stack. */
function pages(program: Uint8Array): readonly Uint8Array[] {
  const number = Math.ceil(program.length / MAX_BYTES);
  return Array.from({ length: number }, (_, page) => program.subarray(page * MAX_BYTES, (page + 1) * MAX_BYTES));
}
