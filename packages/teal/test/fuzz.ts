import * as fc from 'fast-check';
import { expect } from 'vitest';
import { decodeProgram, run, type RunResult, type StackValue } from '../src/run.ts';
import { chainOf, PAYMENT } from './program.ts';
import { anyProgram, damagedProgram, typedProgram, wellFormedProgram } from './random-program.ts';

const BUDGET = 20_000;
const MAX_STACK = 1000;

/** What became of the programs, so that a test can assert that it saw all kinds. */
export interface FuzzCounts {
  passed: number;
  rejected: number;
  failed: number;
  refused: number;
}

/** Runs random programs: each ends within its budget with a well-formed result, and its trace accounts for its stack. */
export function fuzzPrograms(numRuns: number): FuzzCounts {
  const counts: FuzzCounts = { passed: 0, rejected: 0, failed: 0, refused: 0 };
  const program = fc.oneof(typedProgram, wellFormedProgram, damagedProgram, anyProgram);
  const args = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 4 });
  fc.assert(
    fc.property(program, args, (bytes, given) => {
      const before = bytes.slice();
      const options = { group: PAYMENT, index: 0, args: given, environment: chainOf(15n) };
      const result = run(bytes, { ...options, trace: true });
      const { trace: _trace, ...again } = result;
      expect(run(decodeProgram(bytes), options)).toEqual(again);
      expect(bytes).toEqual(before);
      checkResult(result);
      counts[outcomeOf(result)]++;
    }),
    { numRuns },
  );
  return counts;
}

function outcomeOf({ passed, error }: RunResult): keyof FuzzCounts {
  if (error === undefined) return passed ? 'passed' : 'rejected';
  return error.phase === 'check' ? 'refused' : 'failed';
}

function checkResult(result: RunResult): void {
  const { passed, cost, error, stack } = result;
  expect(cost).toBeLessThanOrEqual(BUDGET);
  if (error === undefined) {
    expect(stack).toHaveLength(1);
    expect(passed).toBe(stack[0] !== 0n);
    expect(stackByTrace(result)).toEqual(stack);
  } else {
    expect(passed).toBe(false);
    expect(error.message).not.toBe('');
    expect(stack.length).toBeLessThanOrEqual(2 * MAX_STACK);
  }
}

/** The stack as the steps of the trace say that it must be. */
function stackByTrace({ trace = [] }: RunResult): StackValue[] {
  const stack: StackValue[] = [];
  for (const { popped, added } of trace) {
    stack.length -= popped;
    stack.push(...added);
  }
  return stack;
}
