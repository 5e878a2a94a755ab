import type { GroupTransaction, TransactionFields } from '../machine/group-transaction.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { MAX_BYTES, type StackValue } from '../machine/stack-value.ts';
import { pastBlock } from './environment.ts';

type ReadScalar = (
  transaction: TransactionFields,
  member: GroupTransaction,
  machine: Machine,
) => StackValue | number | boolean;
type ReadList = (transaction: TransactionFields) => readonly StackValue[];

const TYPES = ['', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl', 'stpf', 'hb'];
const textEncoder = new TextEncoder();

const SCALARS: Readonly<Record<string, ReadScalar>> = {
  Sender: (t) => t.sender,
  Fee: (t) => t.fee,
  FirstValid: (t) => t.firstValid,
  FirstValidTime: (t, _member, machine) => pastBlock(machine, BigInt.asUintN(64, t.firstValid - 1n)).timestamp,
  LastValid: (t) => t.lastValid,
  Note: (t) => t.note,
  Lease: (t) => t.lease,
  Receiver: (t) => t.receiver,
  Amount: (t) => t.amount,
  CloseRemainderTo: (t) => t.closeRemainderTo,
  VotePK: (t) => t.voteKey,
  SelectionPK: (t) => t.selectionKey,
  VoteFirst: (t) => t.voteFirstValid,
  VoteLast: (t) => t.voteLastValid,
  VoteKeyDilution: (t) => t.voteKeyDilution,
  Type: (t) => textEncoder.encode(t.type),
  TypeEnum: (t) => BigInt(Math.max(TYPES.indexOf(t.type), 0)),
  XferAsset: (t) => t.transferAsset,
  AssetAmount: (t) => t.assetAmount,
  AssetSender: (t) => t.assetSender,
  AssetReceiver: (t) => t.assetReceiver,
  AssetCloseTo: (t) => t.assetCloseTo,
  GroupIndex: (_t, member, { context }) => BigInt(context.group.indexOf(member)),
  TxID: (_t, member) => member.txId,
  ApplicationID: (t) => t.applicationId,
  OnCompletion: (t) => t.onCompletion,
  NumAppArgs: (t) => count(t.applicationArgs),
  NumAccounts: (t) => count(t.accounts),
  ApprovalProgram: (t) => t.approvalProgram,
  ClearStateProgram: (t) => t.clearStateProgram,
  RekeyTo: (t) => t.rekeyTo,
  ConfigAsset: (t) => t.configAsset,
  ConfigAssetTotal: (t) => t.assetParams.total,
  ConfigAssetDecimals: (t) => t.assetParams.decimals,
  ConfigAssetDefaultFrozen: (t) => t.assetParams.defaultFrozen,
  ConfigAssetUnitName: (t) => t.assetParams.unitName,
  ConfigAssetName: (t) => t.assetParams.name,
  ConfigAssetURL: (t) => t.assetParams.url,
  ConfigAssetMetadataHash: (t) => t.assetParams.metadataHash,
  ConfigAssetManager: (t) => t.assetParams.manager,
  ConfigAssetReserve: (t) => t.assetParams.reserve,
  ConfigAssetFreeze: (t) => t.assetParams.freeze,
  ConfigAssetClawback: (t) => t.assetParams.clawback,
  FreezeAsset: (t) => t.freezeAsset,
  FreezeAssetAccount: (t) => t.freezeAccount,
  FreezeAssetFrozen: (t) => t.assetFrozen,
  NumAssets: (t) => count(t.foreignAssets),
  NumApplications: (t) => count(t.foreignApps),
  GlobalNumUint: (t) => t.globalStateSchema.uints,
  GlobalNumByteSlice: (t) => t.globalStateSchema.byteSlices,
  LocalNumUint: (t) => t.localStateSchema.uints,
  LocalNumByteSlice: (t) => t.localStateSchema.byteSlices,
  ExtraProgramPages: (t) => t.extraProgramPages,
  Nonparticipation: (t) => t.nonparticipation,
  StateProofPK: (t) => t.stateProofKey,
  NumApprovalProgramPages: (t) => count(pages(t.approvalProgram)),
  NumClearStateProgramPages: (t) => count(pages(t.clearStateProgram)),
  RejectVersion: (t) => t.rejectVersion,
};

const LISTS: Readonly<Record<string, ReadList>> = {
  ApplicationArgs: (t) => t.applicationArgs ?? [],
  Accounts: (t) => [t.sender, ...(t.accounts ?? [])],
  Assets: (t) => t.foreignAssets ?? [],
  Applications: (t) => [t.applicationId, ...(t.foreignApps ?? [])],
  ApprovalProgramPages: (t) => pages(t.approvalProgram),
  ClearStateProgramPages: (t) => pages(t.clearStateProgram),
};

function count(list: readonly unknown[] | undefined): bigint {
  return BigInt(list?.length ?? 0);
}

/** A program in pieces that fit on the stack. */
function pages(program: Uint8Array): readonly Uint8Array[] {
  const number = Math.ceil(program.length / MAX_BYTES);
  return Array.from({ length: number }, (_, page) => program.subarray(page * MAX_BYTES, (page + 1) * MAX_BYTES));
}

/** The value of a field that is not an array. */
export function scalarOf(name: string, member: GroupTransaction, machine: Machine): StackValue {
  const value = SCALARS[name]?.(member.transaction, member, machine);
  if (value === undefined) throw new OpcodeFailure(`invalid txn field ${name}`);
  return typeof value === 'object' ? value : BigInt(value);
}

/** The values of an array field. */
export function listOf(name: string, transaction: TransactionFields): readonly StackValue[] {
  return LISTS[name]?.(transaction) ?? [];
}
