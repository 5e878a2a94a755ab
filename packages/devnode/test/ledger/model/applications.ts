// Application calls, by the reference's order of checks and effects.
import type { Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey } from '../../../src/transaction/address-key.ts';
import { checkReadBudget, runProgram } from './program.ts';
import { textOf, type GroupRun, type NaiveTransaction, type ProgramRun } from './run.ts';
import { accountOf, checkSchema, copyOf, pair, payFor, refuse, type NaiveApplication } from './world.ts';

const [OPT_IN, CLOSE_OUT, CLEAR, UPDATE, DELETE] = [1n, 2n, 3n, 4n, 5n];
const PAGE = 2048n;

export function callApplication(group: GroupRun, member: NaiveTransaction, caller: ProgramRun | undefined): void {
  const { transaction } = member;
  const { onCompletion, rejectVersion, applicationId } = transaction;
  const creates = applicationId === 0n;
  const id = creates ? create(group, member) : applicationId;
  const application = group.world.applications.get(id);
  const version = application?.version ?? 0n;
  if (rejectVersion > 0n && version >= rejectVersion) refuse(`app version (${version}) >= reject version`);
  if (onCompletion === CLEAR) {
    if (creates) checkPrograms(group, transaction, application);
    clearState(group, { member, id, caller });
    return;
  }
  if (application === undefined) return refuse('only ClearState is supported for an application');
  if (creates || onCompletion === UPDATE) checkPrograms(group, transaction, application);
  if (onCompletion === OPT_IN) optIn(group, transaction, id);
  checkReadBudget(group);
  runProgram({ group, member, id, program: application.approval, kind: 'approval', caller });
  complete(group, transaction, id);
}

function create({ world, newApplications, count }: GroupRun, member: NaiveTransaction): bigint {
  const { transaction } = member;
  const [id, creator] = [world.counter, addressKey(transaction.sender)];
  const pages = BigInt(transaction.extraProgramPages);
  payFor(accountOf(world, creator), transaction.globalStateSchema, pages, 1n);
  world.applications.set(id, {
    creator,
    approval: textOf(transaction.approvalProgram),
    clear: textOf(transaction.clearStateProgram),
    globalSchema: transaction.globalStateSchema,
    localSchema: transaction.localStateSchema,
    pages,
    version: 0n,
    sponsor: undefined,
    globals: new Map(),
  });
  member.applicationId = id;
  newApplications.add(id);
  count('create');
  return id;
}

function checkPrograms({ plans }: GroupRun, transaction: Transaction, present: NaiveApplication | undefined): void {
  const versionOf = (program: string): number => plans.get(program)?.version ?? 0;
  const given = [textOf(transaction.approvalProgram), textOf(transaction.clearStateProgram)].map(versionOf);
  const [approval = 0, clear = 0] = given;
  const [presentApproval, presentClear] = [versionOf(present?.approval ?? ''), versionOf(present?.clear ?? '')];
  if (approval < presentApproval) refuse(`approval program version downgrade: ${approval} < ${presentApproval}`);
  if (clear < presentClear) refuse(`clearstate program version downgrade: ${clear} < ${presentClear}`);
  if (approval < 9 && transaction.access !== undefined) refuse('check failed on ApprovalProgram: pre-sharedResources');
}

function optIn({ world }: GroupRun, { sender }: Transaction, id: bigint): void {
  const owner = addressKey(sender);
  const schema = world.applications.get(id)?.localSchema ?? refuse('no such application');
  if (world.locals.has(pair(owner, id))) refuse('has already opted in to app');
  payFor(accountOf(world, owner), schema, 0n, 1n);
  world.locals.set(pair(owner, id), { owner, application: id, schema, keys: new Map() });
}

function closeLocals({ world }: GroupRun, { sender }: Transaction, id: bigint, missing: string): void {
  const key = pair(addressKey(sender), id);
  const local = world.locals.get(key) ?? refuse(missing);
  payFor(accountOf(world, local.owner), local.schema, 0n, -1n);
  world.locals.delete(key);
}

interface Clearing {
  readonly member: NaiveTransaction;
  readonly id: bigint;
  readonly caller: ProgramRun | undefined;
}

/** Keeps a copy of everything while the program runs, and takes it if the program does not pass. */
function clearState(group: GroupRun, { member, id, caller }: Clearing): void {
  const { transaction } = member;
  const missing = 'is not currently opted in to app';
  if (!group.world.locals.has(pair(addressKey(transaction.sender), id))) refuse(`cannot clear state: `);
  const application = group.world.applications.get(id);
  if (application !== undefined) {
    checkReadBudget(group);
    const before = copyOf(group.world);
    try {
      runProgram({ group, member, id, program: application.clear, kind: 'clear', caller });
      group.count('clear state passed');
    } catch {
      group.world = before;
      delete member.program;
      group.count('clear state rolled back');
    }
  } else group.count('clear state of a deleted application');
  closeLocals(group, transaction, id, missing);
}

function complete(group: GroupRun, transaction: Transaction, id: bigint): void {
  if (transaction.onCompletion === CLOSE_OUT) closeLocals(group, transaction, id, 'is not opted in to a');
  if (transaction.onCompletion === UPDATE) update(group, transaction, id);
  if (transaction.onCompletion === DELETE) remove(group, id);
}

function update({ world, count }: GroupRun, transaction: Transaction, id: bigint): void {
  const application = world.applications.get(id) ?? refuse('no such application');
  const { approvalProgram, clearStateProgram, globalStateSchema: schema, extraProgramPages, sender } = transaction;
  const pages = BigInt(extraProgramPages);
  if (pages > 0n || schema.uints + schema.byteSlices > 0n) {
    const updater = addressKey(sender);
    checkSchema(application.globals.values(), schema);
    payFor(
      accountOf(world, application.sponsor ?? application.creator),
      application.globalSchema,
      application.pages,
      -1n,
    );
    payFor(accountOf(world, updater), schema, pages, 1n);
    application.globalSchema = schema;
    application.pages = pages;
    application.sponsor = updater === application.creator ? undefined : updater;
    count('size update');
  } else {
    const room = PAGE * (1n + application.pages);
    const [approval, clear] = [approvalProgram.length, clearStateProgram.length];
    if (BigInt(approval) > room) refuse(`approval program too long. (${approval} > ${room})`);
    if (BigInt(clear) > room) refuse(`clear state program too long. (${clear} > ${room})`);
    if (BigInt(approval + clear) > room) refuse(`app programs too long. (${approval} + ${clear} > ${room})`);
  }
  application.approval = textOf(approvalProgram);
  application.clear = textOf(clearStateProgram);
  application.version++;
  count('update');
}

function remove({ world, count }: GroupRun, id: bigint): void {
  const { creator, sponsor, globalSchema, pages } = world.applications.get(id) ?? refuse('no such application');
  payFor(accountOf(world, sponsor ?? creator), globalSchema, pages, -1n);
  world.applications.delete(id);
  count('delete');
}
