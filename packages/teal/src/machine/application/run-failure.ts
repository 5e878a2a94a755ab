import { encodeBase64 } from '@avm402/algorand/base64';
import type { StackValue } from '../stack-value.ts';
import { type Failure, type FailureData, InnerFailure } from './failure.ts';
import type { ProgramRun } from './group.ts';

/** The message and the details of a program that has failed. */
export function failureOf(run: ProgramRun): Failure {
  const { error, group, call } = run;
  const pc = error?.pc ?? 0;
  const { describe } = group.shared;
  const opcodes = describe === undefined ? '' : `, opcodes=${describe(call.program, pc)}`;
  const message = `logic eval error: ${error?.message ?? ''}. Details: app=${call.applicationId}, pc=${pc}${opcodes}`;
  const inner = error?.cause instanceof InnerFailure ? error.cause.failure : undefined;
  return {
    message,
    data: {
      'app-index': call.applicationId,
      'eval-states': states(run),
      'group-index': call.index,
      ...(inner?.data && { 'inner-attrs': inner.data }),
      ...(inner && { 'inner-msg': inner.message }),
      pc,
    },
  };
}

/** Scratch slots and logs of the members that have run, and the stack of the one that failed. */
function states({ group, call }: ProgramRun): FailureData[] {
  return Array.from({ length: call.index + 1 }, (_, index) => {
    const run = group.runs[index];
    return run === undefined ? {} : stateOf(run, index === call.index);
  });
}

function stateOf({ member, machine }: ProgramRun, hasFailed: boolean): FailureData {
  const logs = member.effects.program?.logs ?? [];
  const scratch = machine?.scratch() ?? [];
  const stack = hasFailed ? (machine?.stack ?? []) : [];
  return {
    ...(scratch.length > 0 && { scratch: scratch.map(detail) }),
    ...(stack.length > 0 && { stack: stack.map(detail) }),
    ...(logs.length > 0 && { logs: logs.map(encodeBase64) }),
  };
}

function detail(value: StackValue): bigint | string {
  return typeof value === 'bigint' ? value : encodeBase64(value);
}
