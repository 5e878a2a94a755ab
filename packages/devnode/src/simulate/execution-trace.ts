import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import type { ApplicationGroup, ProgramRun } from '@avm402/teal/application';
import type { RunResult, StackValue, TraceStep } from '@avm402/teal/run';
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
  const spawned = run.submitted.flatMap(({ members }) => members.length);
  const starts = spawned.map((_, index) => spawned.slice(0, index).reduce((sum, count) => sum + count, 0));
  const steps = (run.steps ?? []).map((step) => {
    const group = step.submits === undefined ? undefined : run.submitted[step.submits];
    const start = starts[step.submits ?? 0] ?? 0;
    return stepRecord(
      step,
      request,
      group?.members.map((_, index) => BigInt(start + index)),
    );
  });
  return { ...programTrace(run, steps), inner: run.submitted.flatMap((group) => innerTraces(group, request)) };
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

function innerTraces({ members, runs }: ApplicationGroup, request: TraceRequest): readonly ExecutionTrace[] {
  return members.map((_, index) => {
    const run = runs[index];
    return executionTrace.of(run === undefined ? {} : callTrace(run, request));
  });
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
      account: account === undefined ? '' : formatAddress(account),
      kind: KINDS[kind],
      key,
      newValue: after?.value === undefined ? undefined : valueRecord(after.value),
      operation: use === 'write' ? 'w' : 'd',
    },
  ];
}

/** A value as simulate shows it: 1 is bytes, 2 an integer, 0 no value. */
export function valueRecord(value: StackValue | undefined): StackValueRecord {
  if (value === undefined) return { type: 0n, bytes: NO_BYTES, uint: 0n };
  return typeof value === 'bigint' ? { type: 2n, bytes: NO_BYTES, uint: value } : { type: 1n, bytes: value, uint: 0n };
}
