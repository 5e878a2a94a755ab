// Inner transactions: how a program builds and submits them.
import { transaction as transactionSchema, type Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey, addressOfKey, type AddressKey } from '../../../src/transaction/address-key.ts';
import type { InnerField } from './plan.ts';
import { valueOf } from './operands.ts';
import {
  areLocalsAvailable,
  isAccountAvailable,
  isApplicationAvailable,
  isAssetAvailable,
  isHoldingAvailable,
} from './resources.ts';
import { addressOf, textOf, type GroupRun, type NaiveTransaction, type ProgramRun, usageOf } from './run.ts';
import { accountOf, givenKey, refuse, type Value } from './world.ts';

const ONE = 1_000_000n;
const WHOLE = ONE * ONE;
const MAX_GROUP = 16;
const CLEAR = 3n;

export function submit(run: ProgramRun, fields: readonly (readonly InnerField[])[]): void {
  const open: Transaction[] = [];
  for (const one of fields) open.push(build(run, open, one));
  const { group } = run;
  if (open.length > group.innerLeft) refuse('too many inner transactions');
  settleFees(group, open);
  for (const inner of open) {
    checkForm(inner);
    checkCall(run, inner);
    if (run.plan.version >= 9) checkUses(run, inner);
  }
  group.innerLeft -= open.length;
  const members = open.map((transaction): NaiveTransaction => ({ transaction }));
  run.effects.inner.push(...members);
  for (const member of members) {
    const { sender } = member.transaction;
    const authorizer = accountOf(group.world, addressKey(sender)).auth ?? addressKey(sender);
    if (authorizer !== addressOf(run.application)) refuse(' unauthorized ');
    group.perform(group, member, run);
    if (member.configAsset !== undefined) group.newAssets.add(member.configAsset);
    group.count(`inner ${member.transaction.type}`);
  }
  run.last = members.at(-1);
}

function build(run: ProgramRun, open: readonly Transaction[], fields: readonly InnerField[]): Transaction {
  const { group, transaction: outer } = run;
  if (run.kind === 'clear') refuse('clear state programs can not issue inner transactions');
  if (open.length > group.innerLeft || open.length >= MAX_GROUP) refuse('too many inner transactions');
  const usage = open.reduce((sum, each) => sum + usageOf(each), ONE);
  const lack = needFor(group, usage).fee - paidBy(open) - group.credit;
  let inner = transactionSchema.of({
    sender: addressOfKey(addressOf(run.application)),
    fee: lack > 0n ? lack : 0n,
    firstValid: outer.firstValid,
    lastValid: outer.lastValid,
  });
  for (const { field, value } of fields) inner = { ...inner, ...set(run, inner, field, valueOf(run, value)) };
  return inner;
}

const paidBy = (group: readonly Transaction[]): bigint => group.reduce((sum, { fee }) => sum + fee, 0n);

function needFor({ residue }: GroupRun, usage: bigint): { readonly fee: bigint; readonly residue: bigint } {
  const amount = 1000n * usage * ONE;
  const [down, rest] = [amount / WHOLE, amount % WHOLE];
  if (rest === 0n) return { fee: down, residue };
  return rest <= residue
    ? { fee: down, residue: residue - rest }
    : { fee: down + 1n, residue: WHOLE - (rest - residue) };
}

function settleFees(group: GroupRun, open: readonly Transaction[]): void {
  const need = needFor(
    group,
    open.reduce((sum, each) => sum + usageOf(each), 0n),
  );
  const lack = need.fee - paidBy(open);
  if (lack > group.credit) refuse('too small (needs ');
  group.credit -= lack;
  group.residue = need.residue;
  if (lack > 0n) group.count('inner fee paid by the outer group');
}

/** Id 0 counts as available in calls with an access list, so a program can build what is not well-formed. */
function checkForm(inner: Transaction): void {
  const { type, sender, assetSender, assetCloseTo } = inner;
  if (type === 'pay' && givenKey(inner.closeRemainderTo) === addressKey(sender)) {
    refuse('cannot close account to its sender');
  }
  const usesNoAsset = type === 'afrz' ? inner.freezeAsset === 0n : inner.transferAsset === 0n && inner.assetAmount > 0n;
  if (usesNoAsset) refuse('asset ID cannot be zero');
  if (givenKey(assetSender) !== undefined && givenKey(assetCloseTo) !== undefined) {
    refuse('cannot close asset by clawback');
  }
  if (type === 'appl' && inner.applicationId === 0n && inner.approvalProgram.length === 0) {
    refuse('bad ApprovalProgram: invalid program (empty)');
  }
}

function checkCall(run: ProgramRun, inner: Transaction): void {
  if (inner.type !== 'appl') return;
  const id = inner.applicationId;
  if (id === run.application) refuse('attempt to self-call');
  const above: bigint[] = [];
  for (let { caller } = run; caller !== undefined; { caller } = caller) above.push(caller.application);
  if (above.includes(id)) refuse(`attempt to re-enter ${id}`);
  if (above.length >= 8) refuse('appl depth (8) exceeded');
  run.group.count(`depth ${above.length + 1}`);
  if (id !== 0n && !run.group.world.applications.has(id)) refuse(`app ${id} does not exist`);
}

/** What an inner transaction would touch must be available to its caller as a pair, too. */
function checkUses(run: ProgramRun, inner: Transaction): void {
  const { transferAsset, assetReceiver, assetSender, assetCloseTo } = inner;
  if (inner.type === 'axfer') {
    const source = givenKey(assetSender) === undefined ? inner.sender : assetSender;
    for (const address of [source, assetReceiver, assetCloseTo]) checkHolding(run, address, transferAsset);
  }
  if (inner.type === 'afrz') checkHolding(run, inner.freezeAccount, inner.freezeAsset);
  if (inner.type === 'appl' && calledVersion(run, inner) < 9) checkCombinations(run, inner);
}

function checkHolding(run: ProgramRun, address: Uint8Array, id: bigint): void {
  const owner = givenKey(address);
  if (owner === undefined || id === 0n || isHoldingAvailable(run, owner, id)) return;
  refuse(`unavailable Holding ${id}+`);
}

/** A called program before version 9 may combine everything that its call lists. */
function checkCombinations(run: ProgramRun, inner: Transaction): void {
  const { accounts = [], foreignApps = [], foreignAssets = [], applicationId } = inner;
  const applications = applicationId === 0n ? foreignApps : [applicationId, ...foreignApps];
  for (const owner of [...[inner.sender, ...accounts].map(addressKey), ...applications.map(addressOf)]) {
    for (const id of foreignAssets) checkHolding(run, addressOfKey(owner), id);
    for (const id of applications) {
      if (!areLocalsAvailable(run, owner, id)) refuse(`unavailable Local State ${id}+`);
    }
  }
}

function calledVersion({ group }: ProgramRun, inner: Transaction): number {
  const called = group.world.applications.get(inner.applicationId);
  const approval = called?.approval ?? textOf(inner.approvalProgram);
  const clear = called?.clear ?? textOf(inner.clearStateProgram);
  return group.plans.get(inner.onCompletion === CLEAR ? clear : approval)?.version ?? 0;
}

const num = (value: Value): bigint => (typeof value === 'bigint' ? value : refuse('is not a uint64'));
const bytes = (value: Value): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'latin1') : refuse('not a byte array');

function account(run: ProgramRun, value: Value): Uint8Array {
  const key: AddressKey = typeof value === 'string' ? value : refuse('not an address');
  return isAccountAvailable(run, key) ? addressOfKey(key) : refuse('unavailable Account');
}

function asset(run: ProgramRun, value: Value): bigint {
  return isAssetAvailable(run, num(value)) ? num(value) : refuse(`unavailable Asset ${value}`);
}

function application(run: ProgramRun, value: Value): bigint {
  return isApplicationAvailable(run, num(value)) ? num(value) : refuse(`unavailable App ${value}`);
}

type Set = (value: Value, inner: Transaction, run: ProgramRun) => Partial<Transaction>;

const FIELDS: Readonly<Record<string, Set>> = {
  Type: (value) => ({ type: String(value) }),
  Sender: (value, _, run) => ({ sender: account(run, value) }),
  Fee: (value) => ({ fee: num(value) }),
  Note: (value) => ({ note: bytes(value) }),
  RekeyTo: (value) => ({ rekeyTo: bytes(value) }),
  Receiver: (value, _, run) => ({ receiver: account(run, value) }),
  Amount: (value) => ({ amount: num(value) }),
  CloseRemainderTo: (value, _, run) => ({ closeRemainderTo: account(run, value) }),
  XferAsset: (value, _, run) => ({ transferAsset: asset(run, value) }),
  AssetAmount: (value) => ({ assetAmount: num(value) }),
  AssetSender: (value, _, run) => ({ assetSender: account(run, value) }),
  AssetReceiver: (value, _, run) => ({ assetReceiver: account(run, value) }),
  AssetCloseTo: (value, _, run) => ({ assetCloseTo: account(run, value) }),
  ConfigAsset: (value, _, run) => ({ configAsset: asset(run, value) }),
  ConfigAssetTotal: (value, { assetParams }) => ({ assetParams: { ...assetParams, total: num(value) } }),
  ConfigAssetManager: (value, { assetParams }) => ({ assetParams: { ...assetParams, manager: bytes(value) } }),
  ConfigAssetFreeze: (value, { assetParams }) => ({ assetParams: { ...assetParams, freeze: bytes(value) } }),
  ConfigAssetClawback: (value, { assetParams }) => ({ assetParams: { ...assetParams, clawback: bytes(value) } }),
  FreezeAsset: (value, _, run) => ({ freezeAsset: asset(run, value) }),
  FreezeAssetAccount: (value, _, run) => ({ freezeAccount: account(run, value) }),
  FreezeAssetFrozen: (value) => ({ assetFrozen: value === 1n }),
  ApplicationID: (value, _, run) => ({ applicationId: application(run, value) }),
  OnCompletion: (value) => ({ onCompletion: num(value) }),
  ApplicationArgs: (value, { applicationArgs = [] }) => ({ applicationArgs: [...applicationArgs, bytes(value)] }),
  Accounts: (value, { accounts = [] }, run) => ({ accounts: [...accounts, account(run, value)] }),
  Assets: (value, { foreignAssets = [] }, run) => ({ foreignAssets: [...foreignAssets, asset(run, value)] }),
  Applications: (value, { foreignApps = [] }, run) => ({ foreignApps: [...foreignApps, application(run, value)] }),
  ApprovalProgram: (value) => ({ approvalProgram: bytes(value) }),
  ClearStateProgram: (value) => ({ clearStateProgram: bytes(value) }),
  GlobalNumUint: (value, { globalStateSchema }) => ({ globalStateSchema: { ...globalStateSchema, uints: num(value) } }),
  LocalNumUint: (value, { localStateSchema }) => ({ localStateSchema: { ...localStateSchema, uints: num(value) } }),
  ExtraProgramPages: (value) => ({ extraProgramPages: Number(value) }),
};

function set(run: ProgramRun, inner: Transaction, field: string, value: Value): Partial<Transaction> {
  return (FIELDS[field] ?? refuse(`no such field ${field}`))(value, inner, run);
}
