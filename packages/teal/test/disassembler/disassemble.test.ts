import { describe, expect, it } from 'vitest';
import { disassemble, disassembleWithPlaces, DisassemblyError } from '../../src/disassembler/disassemble.ts';

const program = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

describe('disassemble', () => {
  it('tells where each instruction stands in its source, behind its label', () => {
    const { text, instructions } = disassembleWithPlaces(program('0a8101400000488102'));
    expect(text).toBe('#pragma version 10\npushint 1\nbnz label1\nlabel1:\npop\npushint 2\n');
    expect(instructions.map(({ pc }) => pc)).toEqual([1, 3, 6, 7]);
    expect(instructions.map(({ offset }) => text.slice(offset).split('\n', 1)[0])).toEqual([
      'pushint 1',
      'bnz label1',
      'pop',
      'pushint 2',
    ]);
  });

  it('shows a constant of any length', () => {
    const text = 'a'.repeat(400_000);
    const source = `#pragma version 10\npushbytes 0x${'61'.repeat(text.length)} // "${text}"\n`;
    expect(disassemble(Buffer.concat([program('0a8080b518'), Buffer.from(text)]))).toBe(source);
  });

  it('refuses a program whose source would be many times as long, at once', () => {
    const constant = new Uint8Array(250_000).fill(1);
    const block = Buffer.concat([program('0a260190a10f'), constant]);
    const loads = new Uint8Array(270_000).fill(0x28);
    const begun = performance.now();
    expect(() => disassemble(Buffer.concat([block, loads]))).toThrow(DisassemblyError);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
