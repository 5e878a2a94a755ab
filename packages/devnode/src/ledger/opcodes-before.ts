import { disassembleWithPlaces, DisassemblyError } from '@avm402/teal/disassemble';

/** How many instructions before the failed one are reported. */
const BEFORE = 2;

/**
 * algod's description of the place where a program failed: the instruction there and those before it, in program
 * order. Empty if the place is the end, or if any part of the program can't be disassembled.
 */
export function opcodesBefore(program: Uint8Array, pc: number): string {
  try {
    const { text, instructions } = disassembleWithPlaces(program);
    const failed = instructions.findIndex((instruction) => instruction.pc === pc);
    if (failed === -1) return '';
    const start = instructions[Math.max(failed - BEFORE, 0)]?.offset;
    const end = instructions[failed + 1]?.offset;
    return text.slice(start, end).trimEnd().replaceAll('\n', '; ');
  } catch (error) {
    if (error instanceof DisassemblyError) return '';
    throw error;
  }
}
