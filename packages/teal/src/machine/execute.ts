import type { Opcode } from './opcode.ts';
import type { Instruction } from './instruction.ts';
import type { Machine } from './machine.ts';
import { OpcodeFailure, ProgramError } from './program-error.ts';
import type { Program } from './program.ts';
import { kindOf, type StackType } from './stack-value.ts';
import type { Trace } from './trace.ts';
import { MAX_BYTES, MAX_STACK } from './limits.ts';

/**
 * Runs a checked program to its end. The budget of the context ends every loop.
 * @throws ProgramError
 */
export function execute({ instructions }: Program, machine: Machine, trace?: Trace): void {
  let instruction = instructions[machine.next];
  while (instruction !== undefined) {
    trace?.begin(machine, instruction);
    try {
      step(machine, instruction);
    } catch (error) {
      if (!(error instanceof OpcodeFailure)) throw error;
      throw new ProgramError('run', instruction.pc, error.message, error);
    }
    trace?.complete(machine);
    instruction = instructions[machine.next];
  }
  checkEnd(machine);
}

function step(machine: Machine, instruction: Instruction): void {
  const { opcode } = instruction;
  checkArguments(machine, opcode);
  pay(machine, instruction);
  machine.next++;
  runOf(opcode)(machine, instruction);
  machine.previous = opcode.name;
  checkResults(machine, opcode);
}

function runOf({ run, name }: Opcode): NonNullable<Opcode['run']> {
  if (run === undefined) throw new OpcodeFailure(`${name} not allowed in current mode`);
  return run;
}

function checkArguments(machine: Machine, { args, name }: Opcode): void {
  const { stack } = machine;
  const base = stack.length - args.length;
  if (base < 0) throw new OpcodeFailure(`stack underflow in ${name}`);
  for (let index = 0; index < args.length; index++) {
    const wanted = args[index] ?? 'any';
    const value = stack[base + index] ?? 0n;
    if (wanted === 'any' || isInteger(wanted) === (typeof value === 'bigint')) continue;
    throw new OpcodeFailure(`${name} arg ${index} wanted ${wanted} but got ${kindOf(value)}`);
  }
}

const isInteger = (type: StackType): boolean => type === 'uint64' || type === 'bool';

function pay(machine: Machine, { opcode, cost, lengthCost }: Instruction): void {
  const { budget } = machine.context;
  const price =
    lengthCost === undefined
      ? cost
      : cost + lengthCost.each * Math.ceil(machine.bytes(lengthCost.depth).length / lengthCost.per);
  if (price > budget.remaining) {
    const spent = `local program cost was ${machine.cost}`;
    throw new OpcodeFailure(`dynamic cost budget exceeded, executing ${opcode.name}: ${spent}`);
  }
  budget.remaining -= price;
  machine.cost += price;
}

function checkResults({ stack }: Machine, { name, returns }: Opcode): void {
  const { length } = stack;
  for (let index = Math.max(length - returns.length, 0); index < length; index++) {
    const value = stack[index];
    if (typeof value !== 'object' || value.length <= MAX_BYTES) continue;
    throw new OpcodeFailure(`${name} produced a too big (${value.length}) byte-array`);
  }
  if (length > MAX_STACK) throw new OpcodeFailure('stack overflow');
}

function checkEnd({ stack, program }: Machine): void {
  const end = program.bytes.length;
  const [result] = stack;
  if (stack.length !== 1 || result === undefined) {
    throw new ProgramError('run', end, `stack len is ${stack.length} instead of 1`);
  }
  if (typeof result !== 'bigint') throw new ProgramError('run', end, 'stack finished with bytes not int');
}
