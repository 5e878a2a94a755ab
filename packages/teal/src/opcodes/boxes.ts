import { encodeHex } from '../go/hex.ts';
import type { BoxUse } from '../machine/application/box-budget.ts';
import { byteKey } from '../machine/application/byte-key.ts';
import type { ProgramRun } from '../machine/application/group.ts';
import type { ApplicationState } from '../machine/application/ledger.ts';
import { integerBehind } from '../machine/integer-behind.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { onlyIn, type OpcodeRow, PREFIX_BYTE } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES } from '../machine/stack-value.ts';
import type { StatePlace } from '../machine/trace-step.ts';
import { putField } from './ledger-field.ts';
import { boxAt, boxOfAnyAt } from './state-places.ts';
import { MAX_UINT64 } from '../go/number.ts';

const MAX_NAME = 64;
const MAX_SIZE = 32_768n;

/** The opcodes `box_NAME`, for boxes of the program's own application, and `app_box_NAME`, for those of any. */
interface BoxOpcode extends Required<Pick<OpcodeRow, 'byte' | 'name' | 'since'>> {
  /** As in `OpcodeRow`, without the box's name, which is the first argument. */
  readonly stack: string;
  readonly use: StatePlace['use'];
  readonly work: (machine: Machine, box: Box) => void;
}

/** In the order of the second byte of `app_box_NAME`. */
const OPCODES: readonly BoxOpcode[] = [
  { byte: 0xb9, name: 'create', stack: 'i:T', since: 8, use: 'write', work: boxCreate },
  { byte: 0xba, name: 'extract', stack: 'ii:b', since: 8, use: 'read', work: boxExtract },
  { byte: 0xbb, name: 'replace', stack: 'ib:', since: 8, use: 'write', work: boxReplace },
  { byte: 0xbc, name: 'del', stack: ':T', since: 8, use: 'delete', work: boxDelete },
  { byte: 0xbd, name: 'len', stack: ':iT', since: 8, use: 'read', work: boxLength },
  { byte: 0xbe, name: 'get', stack: ':bT', since: 8, use: 'read', work: boxGet },
  { byte: 0xbf, name: 'put', stack: 'b:', since: 8, use: 'write', work: boxPut },
  { byte: 0xd2, name: 'splice', stack: 'iib:', since: 10, use: 'write', work: boxSplice },
  { byte: 0xd3, name: 'resize', stack: 'i:', since: 10, use: 'write', work: boxResize },
];

/** Boxes of the program's own application, and those of any. */
export const BOX_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  ...OPCODES.map(({ use, work, name, stack, ...row }) => ({
    ...row,
    name: `box_${name}`,
    stack: `N${stack}`,
    run: ownBox(work, stack.indexOf(':')),
    touches: boxAt(use, stack.indexOf(':')),
  })),
  ...OPCODES.map(({ use, work, name, stack, ...row }, index) => ({
    ...row,
    byte: PREFIX_BYTE,
    subByte: index + 1,
    name: `app_box_${name}`,
    stack: `iN${stack}`,
    since: 13,
    run: anyBox(work, stack.indexOf(':')),
    touches: boxOfAnyAt(use, stack.indexOf(':')),
  })),
]);

/** A box that an opcode names, and the application that owns it. */
interface Box {
  readonly run: ProgramRun;
  readonly owner: bigint;
  readonly name: Uint8Array;
}

/** Makes an opcode for the program's own boxes, whose name is below the other arguments. */
function ownBox(work: BoxOpcode['work'], args: number): (machine: Machine) => void {
  return (machine) => {
    const run = machine.application;
    work(machine, { run, owner: run.applicationId, name: machine.bytes(args) });
    run.shared.boxes.settle();
  };
}

/** Makes the opcode for the boxes of any application, which takes its id below the name. */
function anyBox(work: BoxOpcode['work'], args: number): (machine: Machine) => void {
  return (machine) => {
    const run = machine.application;
    const owner = machine.integer(args + 1);
    machine.stack.splice(machine.stack.length - 2 - args, 1);
    work(machine, { run, owner, name: machine.bytes(args) });
    run.shared.boxes.settle();
  };
}

function boxCreate(machine: Machine, box: Box): void {
  const size = machine.integer(0);
  const present = useBox(box, 'create', size);
  if (present === undefined) store(box, owned(box.run, new Uint8Array(Number(size))));
  machine.replace(2, truth(present === undefined));
}

function boxExtract(machine: Machine, box: Box): void {
  const [start, length] = [machine.integer(1), machine.integer(0)];
  const content = existing(box, useBox(box, 'read', sumOf(start, length)));
  // algod has taken the name away before it looks at the range.
  machine.replace(3, integerBehind(box.name));
  const end = start + length;
  if (start > BigInt(content.length)) {
    throw new OpcodeFailure(`extraction start ${start} is beyond length: ${content.length}`);
  }
  if (end > BigInt(content.length)) {
    throw new OpcodeFailure(`extraction end ${end} is beyond length: ${content.length}`);
  }
  machine.replace(1, content.slice(Number(start), Number(end)));
}

function boxReplace(machine: Machine, box: Box): void {
  const [start, replacement] = [machine.integer(1), machine.bytes(0)];
  const content = existing(box, useBox(box, 'write', sumOf(start, BigInt(replacement.length))));
  checkStart(start, content);
  const end = start + BigInt(replacement.length);
  if (end > BigInt(content.length)) {
    throw new OpcodeFailure(`replacement end ${end} beyond original length: ${content.length}`);
  }
  const changed = writable(box.run, content);
  changed.set(replacement, Number(start));
  store(box, changed);
  machine.drop(3);
}

function boxSplice(machine: Machine, box: Box): void {
  const [start, length, replacement] = [machine.integer(2), machine.integer(1), machine.bytes(0)];
  const content = existing(box, useBox(box, 'write', 0n));
  const { place, rest, from, until } = splicePlaces(content, start, length, replacement);
  const changed = writable(box.run, content);
  changed.copyWithin(rest, from, until);
  changed.set(replacement, place);
  changed.fill(0, rest + until - from);
  store(box, changed);
  machine.drop(4);
}

function boxDelete(machine: Machine, box: Box): void {
  const present = useBox(box, 'delete', 0n);
  if (present !== undefined) store(box, undefined);
  machine.replace(1, truth(present !== undefined));
}

function boxLength(machine: Machine, box: Box): void {
  const content = useBox(box, 'read', 0n);
  putField(machine, 1, content?.length);
}

function boxGet(machine: Machine, box: Box): void {
  const content = useBox(box, 'read', 0n);
  if (content !== undefined) box.run.shared.ownContents.delete(content);
  machine.replace(1, content ?? NO_BYTES);
  machine.push(truth(content !== undefined));
}

function boxPut(machine: Machine, box: Box): void {
  const content = machine.bytes(0);
  const present = useBox(box, 'write', BigInt(content.length));
  machine.drop(2);
  if (present !== undefined && present.length !== content.length) {
    throw new OpcodeFailure(`attempt to box_put wrong size ${present.length} != ${content.length}`);
  }
  store(box, content);
}

function boxResize(machine: Machine, box: Box): void {
  const size = machine.integer(0);
  const content = existing(box, useBox(box, 'resize', size));
  // The box is deleted and created anew, which writes the application's account whatever the size.
  store(box, undefined);
  store(box, owned(box.run, resized(box.run, content, Number(size))));
  machine.drop(2);
}

/** Checks that a program may use a box in this way, counts the use, and gives the content. */
function useBox(box: Box, kind: BoxUse['kind'], size: bigint): Uint8Array | undefined {
  const { run, owner, name } = box;
  checkSizes(name, size);
  if (run.call.kind === 'clear-state') throw new OpcodeFailure('boxes may not be accessed from ClearState program');
  checkReference(box);
  checkAccess(box, kind === 'read');
  const present = run.shared.ledger.box(owner, name);
  if (kind === 'create' && present !== undefined) {
    if (BigInt(present.length) === size) return present;
    throw new OpcodeFailure(`box size mismatch ${present.length} ${size}`);
  }
  run.shared.boxes.use(owner, name, { kind, size: Number(size), present: present?.length });
  return present;
}

function checkSizes(name: Uint8Array, size: bigint): void {
  if (name.length === 0) throw new OpcodeFailure('box names may not be zero length');
  if (name.length > MAX_NAME) {
    throw new OpcodeFailure(`name too long: length was ${name.length}, maximum is ${MAX_NAME}`);
  }
  if (size > MAX_SIZE) throw new OpcodeFailure(`box size too large: ${size}, maximum is ${MAX_SIZE}`);
}

function checkReference({ run, owner, name }: Box): void {
  const { boxes, ledger, resources, unnamed } = run.shared;
  if (boxes.isAvailable(owner, name)) return;
  const isNew = resources.createdApplications.has(owner);
  if (unnamed?.box(run, owner, name, { size: ledger.box(owner, name)?.length ?? 0, isNew })) {
    boxes.allow(owner, name);
    return;
  }
  throw new OpcodeFailure(`invalid Box reference ${encodeHex(name)}`);
}

/** The permissions between applications, and the guard of boxes that a family shares. */
function checkAccess({ run, owner }: Box, isRead: boolean): void {
  const application = run.shared.ledger.application(owner);
  if (owner !== run.applicationId && application === undefined) throw new OpcodeFailure(`app ${owner} does not exist`);
  if (application === undefined) return;
  const isFamily = run.creator === byteKey(application.creator);
  if (owner !== run.applicationId && !isPermitted(application, isFamily, isRead)) {
    const kin = isFamily ? 'family' : 'foreign';
    throw new OpcodeFailure(`${kin} app ${run.applicationId} may not ${isRead ? 'read' : 'write'} box of ${owner}`);
  }
  if (!application.familyBoxAccess || !isFamily) return;
  if (!isRead) checkReentrancy(run);
  run.usesFamilyBoxes = true;
}

function isPermitted(
  { foreignBoxReads, familyBoxAccess }: ApplicationState,
  isFamily: boolean,
  isRead: boolean,
): boolean {
  return (familyBoxAccess && isFamily) || (isRead && foreignBoxReads);
}

/** A call of a family may not write what a waiting call of the same family has seen, if a stranger called it. */
function checkReentrancy(run: ProgramRun): void {
  let hasStranger = false;
  for (let { caller } = run; caller !== undefined; { caller } = caller) {
    if (caller.creator !== run.creator) hasStranger = true;
    else if (hasStranger && caller.usesFamilyBoxes) {
      const why = `app ${caller.applicationId} is relying on family state across a foreign call`;
      throw new OpcodeFailure(`app ${run.applicationId} may not write family-shared box: ${why}`);
    }
  }
}

function existing({ name }: Box, content: Uint8Array | undefined): Uint8Array {
  if (content === undefined) throw new OpcodeFailure(`no such box ${encodeHex(name)}`);
  return content;
}

function store({ run, owner, name }: Box, content: Uint8Array | undefined): void {
  run.shared.ledger.setBox(owner, name, content);
}

/** Both are 64-bit integers in algod, whose sum stops at the largest one. */
function sumOf(left: bigint, right: bigint): bigint {
  const sum = left + right;
  return sum > MAX_UINT64 ? MAX_UINT64 : sum;
}

function checkStart(start: bigint, { length }: Uint8Array): void {
  if (start > BigInt(length)) throw new OpcodeFailure(`replacement start ${start} beyond length: ${length}`);
}

/** The places to which a splice moves the bytes after the replaced range. The size stays, so the last ones may be lost. */
function splicePlaces(content: Uint8Array, start: bigint, length: bigint, replacement: Uint8Array) {
  checkStart(start, content);
  const end = start + length;
  if (end > MAX_UINT64) throw new OpcodeFailure('splice end exceeds uint64');
  if (end > BigInt(content.length)) {
    throw new OpcodeFailure(`splice end ${end} beyond original length: ${content.length}`);
  }
  const place = Number(start);
  if (place + replacement.length > content.length) throw new OpcodeFailure('splice inserted bytes too long');
  const [rest, from] = [place + replacement.length, Number(end)];
  return { place, rest, from, until: Math.min(content.length, from + content.length - rest) };
}

/** The content of a box to change in place: a copy, unless only the group's state holds it. A trace holds them all. */
function writable(run: ProgramRun, content: Uint8Array): Uint8Array {
  const { ownContents, trace } = run.shared;
  return trace === undefined && ownContents.has(content) ? content : owned(run, new Uint8Array(content));
}

/** The content with another size. Its buffer keeps room, so that resizing it in a loop does not copy it each time. */
function resized({ shared: { ownContents, trace } }: ProgramRun, content: Uint8Array, size: number): Uint8Array {
  if (trace === undefined && ownContents.has(content) && size <= content.buffer.byteLength) {
    return new Uint8Array(content.buffer, 0, size).fill(0, content.length);
  }
  const room = size > content.length ? Math.min(2 * size, Number(MAX_SIZE)) : size;
  const changed = new Uint8Array(new ArrayBuffer(room), 0, size);
  changed.set(content.subarray(0, size));
  return changed;
}

/** Notes that nothing but the group's state holds the content. */
function owned({ shared }: ProgramRun, content: Uint8Array): Uint8Array {
  shared.ownContents.add(content);
  return content;
}
