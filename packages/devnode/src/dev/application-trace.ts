import { addressKey } from '../transaction/address-key.ts';
import { sha512_256 } from '@avm402/algorand/hash';
import type { PendingTransaction } from '../codec/schema/pending.ts';
import type { ExecutionTrace, TransactionResult } from '../codec/schema/simulate.ts';
import { tracedSteps, type TracedStep } from './traced-step.ts';

/** The run of an application's program, for a member of a group or for a transaction inside it. */
export interface ApplicationTrace {
  /** The member's position in its group, then the positions of the inner transactions down to this one; all from 0. */
  readonly path: readonly number[];
  /** The application's id, as text. */
  readonly application: string;
  readonly program: 'approval' | 'clear state';
  readonly steps: readonly TracedStep[];
}

/** The node's answer about an application: its programs, or none if it does not exist now. */
export type ApplicationPrograms = (application: bigint) => Promise<readonly Uint8Array[]>;

interface Traced {
  readonly path: readonly number[];
  readonly result: PendingTransaction;
  readonly trace: ExecutionTrace;
}

/** The runs of all applications of a group, in the order of their calls. */
export async function applicationTraces(
  results: readonly TransactionResult[],
  programsOf: ApplicationPrograms,
): Promise<readonly ApplicationTrace[]> {
  const traced = results.flatMap(({ result, executionTrace }, index) =>
    executionTrace ? withInner({ path: [index], result, trace: executionTrace }) : [],
  );
  const programs = await programsByHash(traced, programsOf);
  return traced.flatMap(({ path, result, trace }) => {
    const application = String(applicationOf(result));
    const run = (program: ApplicationTrace['program'], hash: Uint8Array, records: ExecutionTrace['approvalTrace']) =>
      records === undefined
        ? []
        : [{ path, application, program, steps: tracedSteps(programs.get(addressKey(hash)), records) }];
    return [
      ...run('approval', trace.approvalHash, trace.approvalTrace),
      ...run('clear state', trace.clearStateHash, trace.clearStateTrace),
    ];
  });
}

function withInner(outer: Traced): readonly Traced[] {
  const { path, result, trace } = outer;
  const inner = (trace.inner ?? []).flatMap((each, index) => {
    const transaction = result.inner?.[index];
    return transaction === undefined ? [] : withInner({ path: [...path, index], result: transaction, trace: each });
  });
  return [outer, ...inner];
}

function applicationOf({ transaction, applicationIndex }: PendingTransaction): bigint {
  return transaction.transaction.applicationId || applicationIndex;
}

/** Programs that the group brings, and those that its applications have now, by their hash in a trace. */
async function programsByHash(
  traced: readonly Traced[],
  programsOf: ApplicationPrograms,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const brought = traced.flatMap(({ result: { transaction } }) => [
    transaction.transaction.approvalProgram,
    transaction.transaction.clearStateProgram,
  ]);
  const ids = new Set(traced.map(({ result }) => applicationOf(result)).filter((id) => id !== 0n));
  const present = await Promise.all([...ids].map(programsOf));
  return new Map([...brought, ...present.flat()].map((program) => [addressKey(sha512_256(program)), program]));
}
