import { formatAddress } from '@avm402/algorand/address';
import type { ApplicationGroup, ProgramRun } from '@avm402/teal/application';
import type { RunResult } from '@avm402/teal/run';
import { saturated } from '../codec/integer.ts';
import { pendingTransaction } from '../codec/schema/pending.ts';
import {
  transactionResult,
  type GroupResult,
  type SimulateRequest,
  type TransactionResult,
} from '../codec/schema/simulate.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { applyDataOf, innerFees } from '../ledger/effects.ts';
import type { AppliedTransaction } from '../ledger/evaluate-group.ts';
import { groupUsage } from '../ledger/fee.ts';
import { effectsOf } from '../transaction/reported-effects.ts';
import type { GroupMember } from '../transaction/member.ts';
import { executionTraceOf } from './execution-trace.ts';
import type { NotedResources } from './unnamed-resources.ts';

/** A simulated group and its outcome. */
export interface Simulated {
  readonly given: readonly GroupMember[];
  /** The authorizers that simulate chose. */
  readonly fixedSigners: readonly (Uint8Array | undefined)[];
  /** Runs of logic signatures. */
  readonly signatures: readonly (RunResult | undefined)[];
  /** The members that were reached, and the one that failed. */
  readonly applied: readonly AppliedTransaction[];
  readonly failure: { readonly member?: number | undefined; readonly message: string } | undefined;
  /** Absent if the group has no call, or was not evaluated. */
  readonly programs: ApplicationGroup | undefined;
  readonly unnamed: NotedResources | undefined;
}

/** The answer for a group. */
export function groupResult(
  simulated: Simulated,
  request: SimulateRequest,
  parameters: ConsensusParameters,
): GroupResult {
  const { given, failure, programs, unnamed } = simulated;
  const transactions = given.map((_, index) => memberResult(simulated, index, request));
  const ownUsage = groupUsage(
    given.map(({ signed }) => signed),
    parameters,
  );
  return {
    transactions,
    failureMessage: failure?.message ?? '',
    budgetAdded: BigInt(programs?.shared.budgetAdded ?? 0),
    budgetConsumed: transactions.reduce((sum, { budgetConsumed }) => sum + budgetConsumed, 0n),
    failedAt: failure?.member === undefined ? undefined : failedPath(failure.member, programs),
    usage: ownUsage + (programs === undefined ? 0n : innerUsage(programs)),
    feesPaid: saturated(transactions.reduce((sum, { feesPaid }) => sum + feesPaid, 0n)),
    unnamed: unnamed?.ofGroup,
  };
}

function memberResult(simulated: Simulated, index: number, request: SimulateRequest): TransactionResult {
  const { given, fixedSigners, signatures, applied, programs, unnamed } = simulated;
  const [member, effects, run] = [given[index], applied[index]?.effects ?? {}, programs?.runs[index]];
  if (member === undefined) return transactionResult.zero;
  const signer = fixedSigners[index];
  return transactionResult.of({
    budgetConsumed: BigInt(run?.cost ?? 0),
    result: pendingTransaction.of({
      ...effectsOf(member.transaction, applyDataOf(effects)),
      transaction: member.signed,
    }),
    executionTrace: executionTraceOf(member, { signature: signatures[index], call: run }, request.traceConfig),
    logicBudgetConsumed: BigInt(signatures[index]?.cost ?? 0),
    feesPaid: saturated(member.transaction.fee + innerFees(effects)),
    fixedSigner: signer === undefined ? '' : formatAddress(signer),
    unnamed: unnamed?.ofMember(index),
  });
}

/** The member that failed, and inside it the inner transactions that failed, each by its place among its siblings. */
function failedPath(member: number, programs: ApplicationGroup | undefined): bigint[] {
  const path = [BigInt(member)];
  let run = programs?.runs[member];
  while (run?.performing !== undefined && run.error !== undefined) {
    const group: ApplicationGroup | undefined = run.submitted.at(-1);
    path.push(BigInt(run.effects.inner.length - (group?.members.length ?? 0) + run.performing));
    run = group?.runs[run.performing];
  }
  return path;
}

/** The usage of all transactions that programs submitted. */
function innerUsage({ runs, shared }: ApplicationGroup): bigint {
  let usage = 0n;
  for (const group of runs.flatMap((run: ProgramRun | undefined) => run?.submitted ?? [])) {
    for (const { transaction } of group.members) usage += shared.ledger.usage(transaction);
    usage += innerUsage(group);
  }
  return usage;
}
