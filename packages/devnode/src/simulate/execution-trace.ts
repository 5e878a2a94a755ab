import { sha512_256 } from '@avm402/algorand/hash';
import type { RunResult, StackValue, TraceStep } from '@avm402/teal/run';
import type { ExecutionTrace, SimulateRequest, StackValueRecord } from '../codec/schema/simulate.ts';
import type { GroupMember } from '../transaction/member.ts';

const NO_BYTES = new Uint8Array();

type TraceRequest = SimulateRequest['traceConfig'];
type StepRecord = NonNullable<ExecutionTrace['logicSignatureTrace']>[number];

/** simulate's trace of the run of a member's program, as far as it was asked for. */
export function executionTraceOf(
  { signed }: GroupMember,
  result: RunResult | undefined,
  request: TraceRequest,
): ExecutionTrace | undefined {
  if (result?.trace === undefined) return undefined;
  return {
    logicSignatureHash: sha512_256(signed.logicSignature.logic),
    logicSignatureTrace: result.trace.map((step) => stepRecord(step, request)),
  };
}

function stepRecord({ pc, popped, added, stored }: TraceStep, request: TraceRequest): StepRecord {
  const { stackChange, scratchChange } = request;
  return {
    pc: BigInt(pc),
    scratchChanges:
      scratchChange && stored ? [{ slot: BigInt(stored.slot), newValue: valueRecord(stored.value) }] : undefined,
    stackAdditions: stackChange && added.length > 0 ? added.map(valueRecord) : undefined,
    // Negative where a frame reaches above the stack; the instruction that fails there takes fewer than zero values.
    stackPopCount: stackChange ? BigInt(popped) : 0n,
  };
}

function valueRecord(value: StackValue): StackValueRecord {
  return typeof value === 'bigint' ? { type: 2n, bytes: NO_BYTES, uint: value } : { type: 1n, bytes: value, uint: 0n };
}
