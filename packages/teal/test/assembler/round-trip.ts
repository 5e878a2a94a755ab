// What must hold for any source and any program.
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { assemble, AssemblyError } from '../../src/assembler/assemble.ts';
import { disassemble, DisassemblyError } from '../../src/disassembler/disassemble.ts';
import { anyProgram, anySource } from './sources.ts';

/** Either a program, which comes back equal from its disassembly, or errors that say where. Returns how many were programs. */
export function checkSources(numRuns: number): number {
  let programs = 0;
  fc.assert(
    fc.property(anySource, (source) => {
      const program = assembled(source);
      if (program === undefined) return;
      programs++;
      expectSameAgain(program);
    }),
    { numRuns },
  );
  return programs;
}

/** `arg 0`, which needs no salt; `arg_0`, to which it is assembled, does. */
const NEEDS_SALT_WHEN_SHORT = Uint8Array.of(13, 44, 0);

/** Either a listing, which assembles to the same program again, or a reason. Returns how many were listed. */
export function checkPrograms(numRuns: number): number {
  let listed = 0;
  fc.assert(
    fc.property(anyProgram, (program) => {
      const source = disassembled(program);
      if (source === undefined || source.startsWith('//')) return;
      listed++;
      expectSameListing(source);
    }),
    { numRuns, examples: [[NEEDS_SALT_WHEN_SHORT]] },
  );
  return listed;
}

function assembled(source: string | Uint8Array): Uint8Array | undefined {
  try {
    return assemble(source).program;
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    expect(error.errors.length).toBeGreaterThan(0);
    expect(error.message).not.toBe('');
    return undefined;
  }
}

function disassembled(program: Uint8Array): string | undefined {
  try {
    return disassemble(program);
  } catch (error) {
    if (!(error instanceof DisassemblyError)) throw error;
    return undefined;
  }
}

/** What the assembler has made is listed, and the listing assembles to the same bytes. */
function expectSameAgain(program: Uint8Array): void {
  const source = disassemble(program);
  if (source.startsWith('//')) return;
  const again = assembled(untracked(source));
  expect(again && Buffer.from(again).toString('hex')).toBe(Buffer.from(program).toString('hex'));
}

/** A listing that assembles has itself as its listing, in the shortest form; one that does not says why. */
function expectSameListing(source: string): void {
  const again = assembled(unsalted(untracked(source)));
  if (again === undefined) return;
  expect(shortest(disassemble(again))).toBe(shortest(source));
}

/** `arg 0` is assembled to `arg_0`, padded numbers lose their padding; with other bytes a program may need a salt or not. */
function shortest(source: string): string {
  return source.replaceAll(/^(arg|intc|bytec) ([0-3])\b/gm, '$1_$2').replace('#pragma autosalt false\n', '');
}

/** Without types: what was assembled without them must come back. */
function untracked(source: string): string {
  return source.replace('\n', '\n#pragma typetrack false\n');
}

/** Without a salt besides the one that it lists: in its shortest form a program may need another. */
function unsalted(source: string): string {
  return source.includes('#pragma autosalt false') ? source : source.replace('\n', '\n#pragma autosalt false\n');
}
