import { applicationGroup } from '../application.ts';
import type { ProgramEffects, StateChanges } from '../machine/application/effects.ts';
import type { ProgramRun } from '../machine/application/group.ts';
import { BLANK_TRANSACTION } from '../machine/group-transaction.ts';
import { entriesOf } from '../memory-ledger.ts';
import { EMPTY_ENVIRONMENT } from '../run.ts';
import { encodeHex } from '../go/hex.ts';
import type { StackValue } from '../machine/stack-value.ts';
import type { TraceStep } from '../machine/trace-step.ts';
import { readState } from './application-state.ts';
import { BUDGET_PER_CALL } from '../machine/limits.ts';

/** What a program is run with. */
export interface RunInputs {
  readonly args: readonly Uint8Array[];
  /** Whether to record the steps. */
  readonly trace: boolean;
}

/** How a run ended, for people. */
export interface RunOutcome {
  readonly passed: boolean;
  readonly steps: readonly TraceStep[];
  /** What the program did, then how it ended. */
  readonly lines: readonly string[];
}

/** Most boxes that a call can name. */
const MAX_BOXES = 8;

/**
 * Runs an approval program for one call in the state of a file.
 * @throws CommandError
 * @throws TraceTooLong
 */
export function callApplication(program: Uint8Array, state: string, { args, trace }: RunInputs): RunOutcome {
  const { ledger, applicationId, sender, boxes } = readState(state, program);
  const transaction = {
    ...BLANK_TRANSACTION,
    type: 'appl',
    sender,
    applicationId,
    fee: 1000n,
    firstValid: ledger.round,
    lastValid: ledger.round + 1000n,
    applicationArgs: args,
    boxes: Array.from({ length: MAX_BOXES }, (_, index) => ({ index: 0n, name: boxes[index] })),
  };
  const group = applicationGroup({
    members: [{ txId: new Uint8Array(32), transaction, effects: {} }],
    ledger,
    environment: EMPTY_ENVIRONMENT,
    credit: 0n,
    residue: 0n,
    trace,
  });
  const problem = group.check(0, program);
  if (problem !== undefined) return { passed: false, steps: [], lines: [`refused: ${problem}`] };
  const outcome = group.run({ index: 0, applicationId, program, kind: 'approval' });
  const [run] = group.runs;
  const message = 'failure' in outcome ? outcome.failure.message : outcome.status;
  const cost = `cost ${run?.cost ?? 0} of ${BUDGET_PER_CALL}`;
  return {
    passed: outcome.status === 'passed',
    steps: run?.steps ?? [],
    lines: [...(run === undefined ? [] : effectLines(run)), `${message}, ${cost}`],
  };
}

function effectLines({ effects }: ProgramRun): readonly string[] {
  return [...changeLines('global', effects.globals), ...localLines(effects), ...callLines(effects)];
}

function localLines({ locals }: ProgramEffects): readonly string[] {
  return [...locals].flatMap(([account, changes]) => changeLines(`local of account ${account}:`, changes));
}

function callLines({ logs, inner }: ProgramEffects): readonly string[] {
  return [
    ...logs.map((log) => `log ${encodeHex(log)}`),
    ...inner.map(({ transaction: { type, amount } }) => `inner ${type}${type === 'pay' ? ` of ${amount} µAlgo` : ''}`),
  ];
}

function changeLines(what: string, changes: StateChanges): readonly string[] {
  return entriesOf(changes).map(([key, value]) => `${what} ${encodeHex(key)} ${shown(value)}`);
}

function shown(value: StackValue | undefined): string {
  if (value === undefined) return 'deleted';
  return `= ${typeof value === 'bigint' ? value : encodeHex(value)}`;
}
