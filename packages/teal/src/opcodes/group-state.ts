import type { ApplicationMember } from '../machine/application/effects.ts';
import type { ApplicationGroup, ProgramRun } from '../machine/application/group.ts';
import type { Machine } from '../machine/machine.ts';
import { onlyIn, type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { SLOTS } from '../machine/limits.ts';

/** Results of earlier application calls in the group. */
export const GROUP_STATE_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  { byte: 0x3a, name: 'gload', immediates: [uint8('t'), uint8('i')], stack: ':a', since: 4, run: groupLoad },
  { byte: 0x3b, name: 'gloads', immediates: [uint8('i')], stack: 'i:a', since: 4, run: groupLoadByStack },
  { byte: 0x3c, name: 'gaid', immediates: [uint8('t')], stack: ':i', since: 4, run: groupId },
  { byte: 0x3d, name: 'gaids', stack: 'i:i', since: 4, run: groupIdByStack },
  { byte: 0xc4, name: 'gloadss', stack: 'ii:a', since: 6, run: groupLoadAllByStack },
]);

function groupLoad(machine: Machine, { first: index, second: slot }: Operands): void {
  machine.push(slotOf(machine.application, 'gload', BigInt(index), BigInt(slot)));
}

function groupLoadByStack(machine: Machine, { first: slot }: Operands): void {
  machine.replace(1, slotOf(machine.application, 'gloads', machine.integer(0), BigInt(slot)));
}

function groupLoadAllByStack(machine: Machine): void {
  machine.replace(2, slotOf(machine.application, 'gloadss', machine.integer(1), machine.integer(0)));
}

function groupId(machine: Machine, { first: index }: Operands): void {
  machine.push(createdId(machine.application, 'gaid', BigInt(index)));
}

function groupIdByStack(machine: Machine): void {
  machine.replace(1, createdId(machine.application, 'gaids', machine.integer(0)));
}

/** A slot of an earlier member's program, as the program left it. */
function slotOf({ group, call }: ProgramRun, name: string, index: bigint, slot: bigint): StackValue {
  const member = memberAt(group, name, index);
  if (slot >= SLOTS) throw new OpcodeFailure(`${name} scratch index >= 256 (${slot})`);
  if (member.transaction.type !== 'appl') {
    throw new OpcodeFailure(`can't use ${name} on non-app call txn with index ${index}`);
  }
  if (index === BigInt(call.index)) throw new OpcodeFailure(`can't use ${name} on self, use load instead`);
  if (index > BigInt(call.index)) {
    throw new OpcodeFailure(`${name} can't get future scratch space from txn with index ${index}`);
  }
  const { machine } = group.runs[Number(index)] ?? {};
  if (machine === undefined) throw new OpcodeFailure(`${name} lookup of txn ${index} that did not run a program`);
  return machine.load(Number(slot));
}

/** The asset or application that an earlier member has created. */
function createdId({ group, call }: ProgramRun, name: string, index: bigint): bigint {
  const member = memberAt(group, name, index);
  if (index > BigInt(call.index)) {
    const what = `txn ahead of the current one (index ${index}) in the transaction group`;
    throw new OpcodeFailure(`${name} can't get creatable ID of ${what}`);
  }
  if (index === BigInt(call.index)) {
    const instead = "use `global CurrentApplicationID` instead to access the current app's creatable ID";
    throw new OpcodeFailure(`${name} is only for accessing creatable IDs of previous txns, ${instead}`);
  }
  if (member.transaction.type !== 'appl' && member.transaction.type !== 'acfg') {
    const what = `txn that is not an app call nor an asset config txn with index ${index}`;
    throw new OpcodeFailure(`can't use ${name} on ${what}`);
  }
  const { configAsset = 0n, applicationId = 0n } = member.effects;
  const id = configAsset === 0n ? applicationId : configAsset;
  if (id === 0n) throw new OpcodeFailure(`${name}: index ${index} did not create anything`);
  return id;
}

function memberAt({ members }: ApplicationGroup, name: string, index: bigint): ApplicationMember {
  const member = members[Number(index)];
  if (member !== undefined) return member;
  throw new OpcodeFailure(`${name} lookup TxnGroup[${index}] but it only has ${members.length}`);
}
