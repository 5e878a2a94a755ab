import { expect, test } from 'vitest';
import { assemble, AssemblyError } from '../../src/assembler/assemble.ts';

const FULL = 256;
const ints = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, index) => `int ${first + index}`);

/** The errors of a program whose automatic block is full of numbers, without those that say so. */
function errorsAfterFull(...statements: readonly string[]): readonly string[] {
  try {
    assemble(['#pragma version 6', '#pragma typetrack false', ...ints(FULL), ...statements].join('\n'));
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const of = error.errors.filter(({ message }) => !message.startsWith('cannot have more than 256'));
    // Counted from the first statement given, which is 1.
    return of.map(({ line, column, message }) => `${line - FULL - 2}:${column} ${message}`);
  }
  throw new Error('it was assembled');
}

test('of many numbers without room only the last is looked for where the next instruction begins', () => {
  expect(errorsAfterFull('int 300', 'int 301', 'int 302', 'pop')).toEqual(['3:0 unexpected op at intReference: 72']);
  expect(errorsAfterFull('int 300', 'err', 'int 301', 'pop')).toEqual(['3:0 unexpected op at intReference: 72']);
  expect(errorsAfterFull('int 300', '', '  pop; err')).toEqual(['2:2 unexpected op at intReference: 72']);
});

test('a number behind it that is used once is a push by then, one used more often a load, and taken for it', () => {
  expect(errorsAfterFull('int 300', 'int 7', 'pop')).toEqual([]);
  expect(errorsAfterFull('int 300', 'int 301', 'int 7', 'pop')).toEqual(['2:0 unexpected op at intReference: 129']);
});
