import { describe, expect, it } from 'vitest';
import { assemble, AssemblyError, MAX_SOURCE_BYTES } from '../../src/assembler/assemble.ts';

function refusal(source: string | Uint8Array, options?: { readonly version?: number }): AssemblyError {
  try {
    assemble(source, options);
  } catch (error) {
    if (error instanceof AssemblyError) return error;
    throw error;
  }
  throw new Error('it was assembled');
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('assemble', () => {
  it('takes the version of a source that names none from its options', () => {
    expect(hex(assemble('int 1', { version: 10 }).program)).toBe('0a8101');
    expect(hex(assemble('int 1').program)).toBe('0120010122');
    expect(refusal('#pragma version 9\nint 1', { version: 10 }).message).toContain(
      'version mismatch: assembling v9 with v10 assembler',
    );
  });

  it('tells all errors and warnings with line, column and message', () => {
    const { errors, warnings, message } = refusal('#pragma version 8\nint x\n  foo\nmethod "f"\n');
    expect(errors).toEqual([
      { line: 2, column: 4, message: 'unable to parse "x" as integer' },
      { line: 3, column: 2, message: 'unknown opcode: foo' },
    ]);
    expect(warnings).toHaveLength(1);
    expect(message.split('\n')).toHaveLength(4);
  });

  it('gives warnings with a program, too', () => {
    const { warnings } = assemble('#pragma version 8\nmethod "f"\n');
    expect(warnings).toEqual([
      {
        line: 2,
        column: 7,
        message: 'invalid ARC-4 ABI method signature for method op: No parenthesis in method signature: "f"',
      },
    ]);
  });

  it('keeps a byte that is no UTF-8 apart in its report', () => {
    const { report, message } = refusal(Uint8Array.of(0x66, 0xff));
    expect(report).toBe('1 error: 1: unknown opcode: f\udcff\n');
    expect(message).toBe('1 error: 1: unknown opcode: f\ufffd\n');
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('knows nothing of the name %s', (name) => {
    expect(refusal(`#pragma version 8\n${name}`).message).toContain(`unknown opcode: ${name}`);
    expect(refusal(`#pragma version 8\nint ${name}`).message).toContain('unable to parse');
    expect(refusal(`#pragma version 8\nbyte ${name}`).message).toContain('arg did not parse');
    expect(refusal(`#pragma version 8\ntxn ${name}`).message).toContain('unknown field');
    expect(refusal(`#pragma ${name}`).message).toContain('unsupported pragma directive');
    expect(hex(assemble(`#pragma version 8\n#define ${name} 7\nint ${name}`).program)).toBe('088107');
  });
});

describe('a block of constants that comes after a word that needs one', () => {
  it.each([
    ['the automatic one', '#pragma version 3\nint 5\nintcblock 5\n', '3: intcblock following int'],
    ['one written by hand', '#pragma version 3\nintcblock 5\nint 5\nintcblock 6\n', '4: intcblock following int'],
    ['bytes', '#pragma version 8\nbytecblock 0x01\nbytecblock 0x02\nbyte 0x02\n', undefined],
  ])('is refused after %s, but not after a push', (_, source, message) => {
    if (message === undefined) expect(assemble(source).warnings).toHaveLength(1);
    else expect(refusal(source).message).toBe(`1 error: ${message}\n`);
  });
});

it('one statement may have as many words as macros give it', () => {
  const numbers = `#define many ${'1 '.repeat(30_000)}\n`;
  const { program } = assemble(`#pragma version 10\n${numbers}pushints ${'many '.repeat(10)}\npop\n`);
  expect(program.length).toBe(1 + 1 + 3 + 300_000 + 1);
});

describe('a source that would take more than it is worth', () => {
  /** What must be over long before; the slowest of these takes a tenth of it. */
  const AT_ONCE_MS = 10_000;
  const quickly = (source: string): AssemblyError => {
    const begun = performance.now();
    const error = refusal(source);
    expect(performance.now() - begun).toBeLessThan(AT_ONCE_MS);
    return error;
  };

  it('is refused when its macros double without end', () => {
    const doubling = Array.from({ length: 100 }, (_, index) => `#define a${index + 1} a${index} ; a${index}\n`).join(
      '',
    );
    expect(quickly(`#pragma version 8\n#define a0 int 1 ; pop\n${doubling}a100\n`).message).toContain(
      'macros expand to more than 1000000 words',
    );
  });

  it('is refused when it has a million lines', () => {
    expect(quickly('int 1\n'.repeat(1_000_000)).errors).toEqual([
      { line: 0, column: 0, message: `source is longer than ${MAX_SOURCE_BYTES} bytes` },
    ]);
  });

  it('is refused when a line is too long, and told so after what was wrong before', () => {
    expect(quickly(`foo\n//${'x'.repeat(70_000)}\n`).message).toBe('1: unknown opcode: foo\n1: line too long\n');
  });

  it('is done with at once when its every line is wrong, long or both', () => {
    expect(quickly('x\n'.repeat(250_000)).errors).toHaveLength(1000);
    const long = `#pragma version 8\n#define x + ${'a'.repeat(60_000)}\n${'x\n'.repeat(200_000)}`;
    expect(quickly(long).errors.length).toBeLessThan(1000);
  });

  it('is done with at once when each branch waits for another to shrink', () => {
    const branches = Array.from({ length: 34_000 }, (_, index) => `${index}: b ${index + 31}\n`).join('');
    const labels = Array.from({ length: 31 }, (_, index) => `${34_000 + index}:\n`).join('');
    quickly(`#pragma version 13\n#pragma typetrack false\n${branches}${labels}b nowhere\n`);
  });

  it('is done with at once when it knows very many values on its stack', () => {
    const values = 'dupn 255\n'.repeat(38);
    quickly(`#pragma version 10\nerr\na:\nint 1\n${values}${'dup;frame_bury 0\n'.repeat(29_000)}foo\n`);
  });

  it('is done with at once when it names methods whose tuples lie deep inside others', () => {
    const deep = `${'(uint8[],'.repeat(6000)}uint8${')'.repeat(6000)}`;
    quickly(`#pragma version 8\n${`method "f(${deep})void"\n`.repeat(8)}foo\n`);
  });
});
