import type { Environment } from './machine/environment.ts';
import { BoxBudget } from './machine/application/box-budget.ts';
import type { ApplicationMember } from './machine/application/effects.ts';
import { FeePool } from './machine/application/fee-pool.ts';
import { ApplicationGroup, type RunLimits, type SharedState } from './machine/application/group.ts';
import type { ApplicationLedger } from './machine/application/ledger.ts';
import { runner } from './program-runner.ts';
import { SharedResources } from './machine/application/shared-resources.ts';
import { TraceRoom } from './machine/trace-room.ts';
import type { UnnamedResources } from './machine/application/unnamed-resources.ts';
import { BUDGET_PER_CALL } from './machine/limits.ts';

export {
  APPLICATION_ACCOUNTS_SINCE,
  BUDGET_PER_CALL,
  BYTES_PER_BOX_REFERENCE,
  LOW_ID,
  SHARED_SINCE,
} from './machine/limits.ts';
export { applicationAddress } from './machine/application/application-address.ts';
export { BLANK_TRANSACTION } from './machine/group-transaction.ts';
export { byteKey, bytesOfKey, type ByteKey } from './machine/application/byte-key.ts';
export type { ApplicationMember, Effects, ProgramEffects, StateChanges } from './machine/application/effects.ts';
export type { Failure, FailureData } from './machine/application/failure.ts';
export type { GroupPrograms, ProgramCall, ProgramOutcome } from './machine/application/group-programs.ts';
export type { ApplicationGroup, ProgramRun, RunLimits } from './machine/application/group.ts';
export type {
  AccountState,
  ApplicationLedger,
  ApplicationState,
  AssetState,
  BoxAccess,
  HoldingState,
  VoterState,
} from './machine/application/ledger.ts';
export type { AskingProgram, UnnamedResources } from './machine/application/unnamed-resources.ts';
export { TraceTooLong } from './machine/trace-room.ts';
export { ON_COMPLETION } from './machine/group-transaction.ts';
export { OpcodeFailure } from './machine/program-error.ts';

const MAX_INNER = 256;
/** Sixteen times what a simulation may ask for. */
const MAX_EXTRA = 5_120_000;
/** What programs may do outside a simulation. */
export const DEFAULT_LIMITS: RunLimits = { maxLogCalls: 32, maxLogBytes: 1024, extraBudget: 0 };

export interface ApplicationGroupOptions {
  readonly members: readonly ApplicationMember[];
  readonly ledger: ApplicationLedger;
  readonly environment: Environment;
  /** What the group pays beyond its need, in µAlgo; inner transactions may use it. */
  readonly credit: bigint;
  /** The 10⁻¹² parts of a µAlgo that were added to round up the group's need. */
  readonly residue: bigint;
  readonly limits?: RunLimits;
  /** Whether to record the steps of programs. */
  readonly trace?: boolean;
  readonly describe?: (program: Uint8Array, pc: number) => string;
  readonly unnamed?: UnnamedResources;
}

/** A group that was sent to the node, ready to run the programs of its calls. */
export function applicationGroup(options: ApplicationGroupOptions): ApplicationGroup {
  const { members, ledger, environment, limits = DEFAULT_LIMITS, unnamed } = options;
  const calls = members.filter(({ transaction }) => transaction.type === 'appl').length;
  const resources = new SharedResources(members);
  const budget = calls === 0 ? 0 : calls * BUDGET_PER_CALL + limits.extraBudget;
  const shared: SharedState = {
    environment,
    ledger,
    programs: runner,
    budget: { remaining: budget },
    budgetAdded: budget,
    innerLeft: MAX_INNER,
    fees: new FeePool(environment.parameters.minFee, options.credit, options.residue),
    resources,
    boxes: new BoxBudget(members, { ledger, resources, unnamed }),
    ownContents: new WeakSet(),
    limits,
    trace: options.trace ? new TraceRoom() : undefined,
    extraLeft: MAX_EXTRA - limits.extraBudget,
    describe: options.describe,
    unnamed,
  };
  return new ApplicationGroup(members, shared);
}
