import type { Frame, Machine } from '../machine/machine.ts';
import { type Immediate, type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

const OFFSET: Immediate = { name: 'i', kind: 'int8' };

/** Subroutines and their frames. */
export const SUBROUTINE_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x88, name: 'callsub', immediates: [{ name: 'target', kind: 'label' }], since: 4, run: callSubroutine },
  { byte: 0x89, name: 'retsub', since: 4, run: returnFromSubroutine, pops: popsFrame, endsFlow: true },
  { byte: 0x8a, name: 'proto', immediates: [uint8('a'), uint8('r')], since: 8, run: declareFrame },
  { byte: 0x8b, name: 'frame_dig', immediates: [OFFSET], stack: ':a', since: 8, run: digInFrame, pops: () => 0 },
  { byte: 0x8c, name: 'frame_bury', immediates: [OFFSET], stack: 'a:', since: 8, run: buryInFrame, pops: popsToPlace },
];

function callSubroutine(machine: Machine, { targets }: Operands): void {
  machine.calls.push({ returnTo: machine.next, height: machine.stack.length });
  machine.next = targets[0] ?? machine.next;
}

function returnFromSubroutine(machine: Machine): void {
  const frame = machine.calls.pop();
  if (frame === undefined) throw new OpcodeFailure('retsub with empty callstack');
  if (frame.proto !== undefined) dropFrame(machine, frame.height, frame.proto);
  machine.next = frame.returnTo;
}

/** Replaces the arguments by the first of the values above the frame, as many as were declared as returned. */
function dropFrame({ stack }: Machine, height: number, { args, returns }: NonNullable<Frame['proto']>): void {
  const above = stack.length - height;
  if (above < returns) {
    const declared = `proto declared ${returns}`;
    if (above < 0) throw new OpcodeFailure('retsub executed with stack below frame. Did you pop args?');
    if (above === 0) throw new OpcodeFailure(`retsub executed with no return values on stack. ${declared}`);
    throw new OpcodeFailure(`retsub executed with ${above} return values on stack. ${declared}`);
  }
  const returned = stack.slice(height, height + returns);
  stack.length = height - args;
  stack.push(...returned);
}

function declareFrame(machine: Machine, { first: args, second: returns }: Operands): void {
  const frame = machine.calls.at(-1);
  if (machine.previous !== 'callsub' || frame === undefined) {
    throw new OpcodeFailure('proto was executed without a callsub');
  }
  if (args > frame.height) {
    throw new OpcodeFailure(`callsub to proto that requires ${args} args with stack height ${frame.height}`);
  }
  frame.proto = { args, returns };
}

function digInFrame(machine: Machine, { first: offset }: Operands): void {
  machine.push(machine.stack[framePlace(machine, offset, 'frame_dig')] ?? 0n);
}

function buryInFrame(machine: Machine, { first: offset }: Operands): void {
  const place = framePlace(machine, offset, 'frame_bury');
  machine.stack[place] = machine.value(0);
  machine.drop(1);
}

/** The stack index at an offset from the start of the frame; arguments are below it. */
function framePlace({ stack, calls }: Machine, offset: number, name: string): number {
  const frame = calls.at(-1);
  if (frame === undefined) throw new OpcodeFailure(`${name} with empty callstack`);
  const args = frame.proto?.args;
  if (args !== undefined && -offset > args) throw new OpcodeFailure(`${name} ${offset} in sub with ${args} args`);
  const place = frame.height + offset;
  const last = name === 'frame_bury' ? stack.length - 2 : stack.length - 1;
  if (place > last) throw new OpcodeFailure(`${name} above stack`);
  if (place < 0) throw new OpcodeFailure(`${name} below stack`);
  return place;
}

/** The values that `retsub` takes according to a trace: everything from the first argument on. */
function popsFrame({ stack, calls }: Machine): number {
  const frame = calls.at(-1);
  return frame?.proto === undefined ? 0 : stack.length - frame.height + frame.proto.args;
}

/** The values that `frame_bury` takes according to a trace: everything from the position that it writes. */
function popsToPlace({ stack, calls }: Machine, { first }: Operands): number {
  const frame = calls.at(-1);
  return frame === undefined ? 1 : stack.length - frame.height - first;
}
