import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble, AssemblyError } from '../../src/assembler/assemble.ts';

/** The errors of a version 10 program, one statement a line, each with the line it is on, from 1. */
function errorsOf(...statements: readonly string[]): readonly string[] {
  try {
    assemble(['#pragma version 10', ...statements].join('\n'));
    return [];
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    return error.errors.map(({ line, message }) => `${line - 1}: ${message}`);
  }
}

const UNREACHABLE = 'proto must be unreachable from previous PC';

test('after a proto that is reached the check goes on with the stack that there was', () => {
  expect(errorsOf('int 1', 'proto 2 1', 'byte "x"', '+')).toEqual([
    `2: ${UNREACHABLE}`,
    '4: + arg 1 wanted type uint64 got [1]byte',
  ]);
  expect(errorsOf('proto 2 1', '+')).toEqual([
    `1: ${UNREACHABLE}`,
    '2: + expects 2 stack arguments but stack height is 0',
  ]);
  expect(errorsOf('proto 2 1', 'frame_dig -1', 'frame_dig -9')).toEqual([`1: ${UNREACHABLE}`]);
});

test('what always fails is told where nothing leads, too, and only that', () => {
  const always = fc.constantFrom('bury 0', 'proto 1 1');
  const end = fc.constantFrom('b end', 'err', 'return', 'retsub');
  fc.assert(
    fc.property(end, always, (last, statement) => {
      const problem = statement === 'bury 0' ? 'bury 0 always fails' : UNREACHABLE;
      expect(errorsOf('int 1', 'int 1', last, '+', statement, 'end:', 'int 1')).toEqual([`5: ${problem}`]);
    }),
  );
  expect(errorsOf('callsub f', 'err', 'f:', 'proto 1 1', 'frame_dig -1', 'retsub', 'frame_dig -1')).toEqual([
    '7: frame_dig above stack',
  ]);
});

/** How high the stack is after some numbers and an instruction that finds too few of them. */
const heightAfter = (instruction: string, values: number): unknown => {
  const [first, second = ''] = errorsOf(...Array.from({ length: values }, () => 'int 1'), instruction, 'popn 255');
  expect(first).toContain('stack arguments but stack height is');
  return Number(/height is (\d+)$/.exec(second)?.[1]);
};

test('what finds too few values takes none and leaves what it would have made, of which nothing is known', () => {
  const shortage = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat({ max: 19 })).filter(([n, values]) => values <= n);
  fc.assert(
    fc.property(shortage, ([n, values]) => {
      expect(heightAfter(`bury ${n}`, values)).toBe(values);
      expect(heightAfter(`dig ${n}`, values)).toBe(values + n + 2);
      expect(heightAfter(`cover ${n}`, values)).toBe(values + n + 1);
      expect(heightAfter(`uncover ${n}`, values)).toBe(values + n + 1);
      for (const instruction of [`dig ${n}`, `cover ${n}`, `uncover ${n}`]) {
        const numbers = Array.from({ length: values }, () => 'int 1');
        expect(errorsOf(...numbers, instruction, 'concat', 'pop')).toHaveLength(1);
      }
    }),
    { numRuns: 40 },
  );
  expect(heightAfter('dupn 3', 0)).toBe(0);
});

test('a value that is not there changes no slot', () => {
  expect(errorsOf('store 3', 'load 3', 'concat')).toEqual([
    '1: store 3 expects 1 stack arguments but stack height is 0',
    '3: concat expects 2 stack arguments but stack height is 1',
  ]);
  expect(errorsOf('store 3', 'load 3', 'byte "x"', 'concat').slice(1)).toEqual([
    '4: concat arg 0 wanted type []byte got 0',
  ]);
  expect(errorsOf('stores', 'load 3', 'byte "x"', 'concat').slice(1)).toEqual([
    '4: concat arg 0 wanted type []byte got 0',
  ]);
});

test('the check understands numbers of any base and sign, also where the assembler does not', () => {
  for (const zero of ['+0', '-0', '0x0']) {
    const [first] = errorsOf('int 1', `bury ${zero}`);
    expect(first).toBe('2: bury 0 always fails');
  }
  expect(errorsOf('callsub f', 'err', 'f:', 'proto 1 1', 'frame_dig 0x1')).toEqual([
    '5: frame_dig above stack',
    '5: frame_dig unable to parse i "0x1" as int8',
  ]);
});
