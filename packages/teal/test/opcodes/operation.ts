import { opcodesOf, LATEST_VERSION } from '../../src/opcodes/table.ts';
import { run, type StackValue } from '../../src/run.ts';

const ENOUGH = 1_000_000_000;
const PUSH_BYTES = 0x80;
const PUSH_INTEGER = 0x81;

/** What an opcode leaves on the stack, or how it fails. */
export type Outcome = { readonly out: readonly StackValue[] } | { readonly error: string };

/** Runs one opcode on the values, the deepest first. */
export function runOperation(name: string, immediate: number | undefined, values: readonly StackValue[]): Outcome {
  const opcode = opcodesOf(LATEST_VERSION).byName.get(name);
  if (opcode === undefined) throw new Error(`no opcode ${name}`);
  const program = [
    LATEST_VERSION,
    ...values.flatMap(push),
    opcode.byte,
    ...(immediate === undefined ? [] : [immediate]),
  ];
  const { error, stack } = run(Uint8Array.from(program), { group: [], index: 0, budget: { remaining: ENOUGH } });
  return error === undefined || error.pc === program.length ? { out: stack } : { error: error.message };
}

function push(value: StackValue): number[] {
  return typeof value === 'bigint'
    ? [PUSH_INTEGER, ...varint(value)]
    : [PUSH_BYTES, ...varint(BigInt(value.length)), ...value];
}

function varint(value: bigint): number[] {
  return value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)];
}
