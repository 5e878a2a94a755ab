import * as fc from 'fast-check';
import { expect } from 'vitest';
import { applicationAddress, applicationGroup, byteKey } from '../src/application.ts';
import { BLANK_TRANSACTION } from '../src/machine/group-transaction.ts';
import { MemoryLedger } from '../src/memory-ledger.ts';
import { EMPTY_ENVIRONMENT } from '../src/run.ts';
import { applicationProgram, anyProgram } from './random-program.ts';

const [CALLED, OTHER] = [1001n, 1002n];
const SENDER = new Uint8Array(32).fill(7);
const NAME = new TextEncoder().encode('a');
const MAX_STACK = 1000;
/** The cost of one call and of all inner calls that it can make. */
const MAX_COST = 700 * 257;

/** What became of the calls, so that a test can assert that it saw all kinds. */
export interface CallCounts {
  passed: number;
  rejected: number;
  failed: number;
  checked: number;
}

/** Calls applications with random programs: each call ends within its budget, in words, and a clear state changes nothing. */
export function fuzzApplications(numRuns: number): CallCounts {
  const counts: CallCounts = { passed: 0, rejected: 0, failed: 0, checked: 0 };
  const program = fc.oneof({ arbitrary: applicationProgram, weight: 9 }, { arbitrary: anyProgram, weight: 1 });
  fc.assert(
    fc.property(program, program, fc.boolean(), (called, other, isClear) => {
      counts[call(called, other, isClear)]++;
    }),
    { numRuns },
  );
  return counts;
}

function call(program: Uint8Array, other: Uint8Array, isClear: boolean): keyof CallCounts {
  const ledger = ledgerWith(program, other);
  const transaction = {
    ...BLANK_TRANSACTION,
    type: 'appl',
    sender: SENDER,
    applicationId: CALLED,
    foreignApps: [OTHER],
    applicationArgs: [NAME, Uint8Array.of(1)],
    boxes: [{ index: 0n, name: NAME }],
  };
  const group = applicationGroup({
    members: [{ txId: new Uint8Array(32), transaction, effects: {} }],
    ledger,
    environment: EMPTY_ENVIRONMENT,
    credit: 5000n,
    residue: 0n,
    trace: true,
  });
  const problem = group.check(0, program);
  if (problem !== undefined) {
    expect(problem).not.toBe('');
    return 'checked';
  }
  const outcome = group.run({ index: 0, applicationId: CALLED, program, kind: isClear ? 'clear-state' : 'approval' });
  const [run] = group.runs;
  expect(run?.cost).toBeLessThanOrEqual(isClear ? 700 : MAX_COST);
  expect(run?.machine?.stack.length).toBeLessThanOrEqual(2 * MAX_STACK);
  expect(run?.effects.logs.length).toBeLessThanOrEqual(32);
  expect(group.shared.innerLeft).toBeGreaterThanOrEqual(0);
  if (isClear) expect(run?.effects.inner).toEqual([]);
  if (!('failure' in outcome)) return outcome.status === 'passed' ? 'passed' : 'rejected';
  expect(outcome.failure.message).toMatch(/^logic eval error: .+\. Details: app=1001, pc=\d+$/s);
  return 'failed';
}

function ledgerWith(program: Uint8Array, other: Uint8Array): MemoryLedger {
  const ledger = new MemoryLedger();
  for (const [id, approvalProgram] of [[CALLED, program] as const, [OTHER, other] as const]) {
    const { locals, boxes } = ledger.add(id, {
      creator: SENDER,
      approvalProgram,
      clearStateProgram: approvalProgram,
      globalSchema: { uints: 9n, byteSlices: 9n },
      localSchema: { uints: 9n, byteSlices: 9n },
      extraProgramPages: 0,
      version: 0n,
      sizeSponsor: undefined,
      foreignBoxReads: true,
      familyBoxAccess: true,
    });
    locals.set(byteKey(SENDER), new Map());
    boxes.set(byteKey(NAME), new Uint8Array(8));
    ledger.balances.set(byteKey(applicationAddress(id)), 1_000_000n);
  }
  return ledger;
}
