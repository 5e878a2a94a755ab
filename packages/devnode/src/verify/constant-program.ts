import { readUvarint } from '../transaction/program-version.ts';

const POP = 0x48;
const PUSHBYTES = 0x80;
const PUSHINT = 0x81;

/** The first version with all three of these opcodes. */
const FIRST_VERSION = 3n;
const MAX_STACK = 1000;
const MAX_BYTES_VALUE = 4096;

/**
 * What a program costs that only pushes and pops constants and ends with a single number that is not zero, so that it
 * approves whatever it is asked: 1 for each opcode. undefined for every other program, which says nothing about it.
 */
export function costOfApproval(program: Uint8Array): bigint | undefined {
  const version = readUvarint(program, 0);
  if (version === undefined || version.value < FIRST_VERSION) return undefined;
  const stack: (bigint | 'bytes')[] = [];
  let cost = 0n;
  for (let at = version.end; at < program.length; cost++) {
    const next = step(program, at, stack);
    if (next === undefined || stack.length > MAX_STACK) return undefined;
    at = next;
  }
  const approves = stack.length === 1 && stack[0] !== 'bytes' && stack[0] !== 0n;
  return approves ? cost : undefined;
}

/** Executes one opcode and gives the place of the next; undefined for what is not a constant, or not right. */
function step(program: Uint8Array, at: number, stack: (bigint | 'bytes')[]): number | undefined {
  const opcode = program[at];
  if (opcode === POP) return stack.pop() === undefined ? undefined : at + 1;
  if (opcode !== PUSHINT && opcode !== PUSHBYTES) return undefined;
  const immediate = readUvarint(program, at + 1);
  if (immediate === undefined) return undefined;
  stack.push(opcode === PUSHINT ? immediate.value : 'bytes');
  if (opcode === PUSHINT) return immediate.end;
  const end = immediate.end + Number(immediate.value);
  return immediate.value <= MAX_BYTES_VALUE && end <= program.length ? end : undefined;
}
