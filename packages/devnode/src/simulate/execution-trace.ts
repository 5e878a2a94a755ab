import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import type { ApplicationGroup, ProgramRun } from '@avm402/teal/application';
import type { RunResult, StackValue, TraceStep } from '@avm402/teal/run';
import { BYTES_TYPE, UINT_TYPE } from '../codec/schema/application.ts';
import {
  executionTrace,
  type ExecutionTrace,
  type SimulateRequest,
  type StackValueRecord,
  type TraceStepRecord,
} from '../codec/schema/simulate.ts';
import type { GroupMember } from '../transaction/member.ts';

const NO_BYTES = new Uint8Array();

type TraceRequest = SimulateRequest['traceConfig'];

/** simulate's trace of the programs of a member, as far as it was asked for. */
export function executionTraceOf(
  { signed }: GroupMember,
  { signature, call }: { readonly signature: RunResult | undefined; readonly call: ProgramRun | undefined },
  request: TraceRequest,
): ExecutionTrace | undefined {
  if (!request.enable || (signature?.trace === undefined && call === undefined)) return undefined;
  return executionTrace.of({
    ...(signature?.trace && {
      logicSignatureHash: sha512_256(signed.logicSignature.logic),
      logicSignatureTrace: signature.trace.map((step) => stepRecord(step, request)),
    }),
    ...(call && callTrace(call, request)),
  });
}

function callTrace(run: ProgramRun, request: TraceRequest): Partial<ExecutionTrace> {
  const groups = run.submitted.map((group) => begunRuns(run, group));
  const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const steps = (run.steps ?? []).map((step) => {
    const group = step.submits === undefined ? undefined : groups[step.submits];
    const start = starts[step.submits ?? 0] ?? 0;
    return stepRecord(
      step,
      request,
      group?.map((_, index) => BigInt(start + index)),
    );
  });
  return { ...programTrace(run, steps), inner: groups.flat().map((inner) => innerTrace(inner, request)) };
}

/** The runs for the members of a submitted group, as far as they were begun: those behind one that failed were not. */
function begunRuns(
  { submitted, performing }: ProgramRun,
  group: ApplicationGroup,
): readonly (ProgramRun | undefined)[] {
  const begun = group === submitted.at(-1) && performing !== undefined ? performing + 1 : group.members.length;
  return Array.from({ length: begun }, (_, index) => group.runs[index]);
}

function programTrace(run: ProgramRun, steps: readonly TraceStepRecord[]): Partial<ExecutionTrace> {
  const hash = sha512_256(run.call.program);
  if (run.call.kind === 'approval') return { approvalHash: hash, approvalTrace: steps };
  return {
    clearStateHash: hash,
    clearStateTrace: steps,
    clearStateRollback: !run.passed,
    clearStateRollbackError: run.error?.message ?? '',
  };
}

function innerTrace(run: ProgramRun | undefined, request: TraceRequest): ExecutionTrace {
  return executionTrace.of(run === undefined ? {} : callTrace(run, request));
}

function stepRecord(step: TraceStep, request: TraceRequest, spawned?: readonly bigint[]): TraceStepRecord {
  const { pc, popped, added, stored } = step;
  const { stackChange, scratchChange, stateChange } = request;
  return {
    pc: BigInt(pc),
    scratchChanges:
      scratchChange && stored ? [{ slot: BigInt(stored.slot), newValue: valueRecord(stored.value) }] : undefined,
    spawnedInners: spawned,
    stackAdditions: stackChange && added.length > 0 ? added.map(valueRecord) : undefined,
    // Negative where a frame reaches above the stack; the instruction that fails there takes fewer than zero values.
    stackPopCount: stackChange ? BigInt(popped) : 0n,
    stateChanges: stateChange ? stateChanges(step) : undefined,
  };
}

const KINDS = { global: 'g', local: 'l', box: 'b' } as const;

function stateChanges({ state }: TraceStep): TraceStepRecord['stateChanges'] {
  if (state === undefined || state.use === 'read') return undefined;
  const { kind, use, account, key, after } = state;
  return [
    {
      account: accountText(account),
      kind: KINDS[kind],
      key,
      newValue: after?.value === undefined ? undefined : valueRecord(after.value),
      operation: use === 'write' ? 'w' : 'd',
    },
  ];
}

/** An account in a trace; empty if there is none. */
export function accountText(account: Uint8Array | undefined): string {
  return account === undefined ? '' : formatAddress(account);
}

/** A value as simulate shows it; its type is 0 if there is none. */
export function valueRecord(value: StackValue | undefined): StackValueRecord {
  if (value === undefined) return { type: 0n, bytes: NO_BYTES, uint: 0n };
  return typeof value === 'bigint'
    ? { type: UINT_TYPE, bytes: NO_BYTES, uint: value }
    : { type: BYTES_TYPE, bytes: value, uint: 0n };
}
