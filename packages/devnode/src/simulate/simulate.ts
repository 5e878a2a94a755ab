import { DEFAULT_LIMITS, ON_COMPLETION, TraceTooLong, type ApplicationGroup } from '@avm402/teal/application';
import {
  evalOverrides,
  simulateResponse,
  traceConfig,
  type GroupResult,
  type SimulateRequest,
  type SimulateResponse,
} from '../codec/schema/simulate.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { DevnodeError, refused } from '../errors.ts';
import { formProblem } from '../form/well-formed.ts';
import type { Chain } from '../ledger/chain.ts';
import type { GroupContext } from '../ledger/context.ts';
import { evaluateGroup } from '../ledger/evaluate-group.ts';
import { opcodesBefore } from '../ledger/opcodes-before.ts';
import type { State } from '../ledger/state/state.ts';
import { groupMember, type GroupMember } from '../transaction/member.ts';
import { Refusal } from '../transaction/refusal.ts';
import { LogicPrograms } from '../verify/logic-programs.ts';
import { isUnsigned } from '../verify/unsigned.ts';
import { verifyGroupForm, verifySignatures, type VerifyContext } from '../verify/verify-group.ts';
import { FixedSigners } from './fix-signers.ts';
import { initialStatesOf } from './initial-states.ts';
import { groupResult, type Simulated } from './result.ts';
import { NotedResources } from './unnamed-resources.ts';

const RESPONSE_VERSION = 2n;
const MAX_EXTRA_BUDGET = 320_000n;
const MAX_LOG_CALLS = 2048n;
const MAX_LOG_SIZE = 65_536n;

/** Gives members that need no signature the authorizer of their accounts. */
export type Authorize = (group: readonly GroupMember[], state: State) => readonly GroupMember[];

export interface SimulateOptions extends VerifyContext {
  /** Whether execution may be traced (algod's `EnableDeveloperAPI`). */
  readonly developerApi: boolean;
  readonly authorize: Authorize;
}

/**
 * Simulates a group (go-algorand ledger/simulation/simulator.go). Signatures are verified on other threads.
 * @throws DevnodeError 400 or 500 with algod's text, where algod gives no result
 */
export async function simulate(
  request: SimulateRequest,
  chain: Chain,
  options: SimulateOptions,
): Promise<SimulateResponse> {
  const given = requestedGroup(request, chain).map(groupMember);
  checkTraceConfig(request, options);
  // algod looks for the round first.
  stateFor(request, chain);
  const programs = new LogicPrograms(given, options.programs, {
    trace: request.traceConfig.enable,
    describe: opcodesBefore,
  });
  const failure =
    formFailure(given, options) ?? (await signatureFailure(given, request, { ...options, logic: programs }));
  // Blocks may have come meanwhile.
  const { round, state } = stateFor(request, chain);
  const fixed = new FixedSigners(given, (member) => isUnsigned(member.signed));
  if (request.fixSigners) fixed.fixToCall(0, state);
  const judged = options.authorize(fixed.members, state);
  const unnamed = request.allowUnnamedResources ? new NotedResources(given, chain.parameters) : undefined;
  const outcome =
    failure === undefined
      ? outcomeOf(judged, request, { chain, state, round, unnamed, fixed })
      : { applied: [], failure, programs: undefined };
  const simulated = { ...outcome, given, fixedSigners: fixed.signers, signatures: programs.results, unnamed };
  const result = groupResult(simulated, request, chain.parameters);
  return response(request, round, { result, programs: outcome.programs });
}

function requestedGroup({ groups = [], fixSigners: fix, allowEmptySignatures }: SimulateRequest, chain: Chain) {
  const { maxGroupSize } = chain.parameters;
  for (const { transactions = [] } of groups) {
    if (transactions.length === 0) throw refused('empty txgroup');
    if (transactions.length > maxGroupSize) {
      const problem = `transaction group size ${transactions.length} exceeds protocol max ${maxGroupSize}`;
      throw refused(problem);
    }
  }
  if (fix && !allowEmptySignatures) throw refused('FixSigners requires AllowEmptySignatures to be enabled');
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0) throw refused(`expected 1 transaction group, got ${groups.length}`);
  return group.transactions ?? [];
}

function stateFor(request: SimulateRequest, chain: Chain): { readonly round: bigint; readonly state: State } {
  const round = request.round === 0n ? chain.latest.round : request.round;
  const state = chain.stateAt(round);
  if (state !== undefined) return { round, state };
  const latest = chain.latest.round;
  const problem =
    round > latest
      ? `ledger does not have entry ${round} (latest ${latest}, committed ${latest})`
      : `round ${round} before dbRound ${chain.oldestState}`;
  throw new DevnodeError('internal', problem, { status: 500 });
}

function checkTraceConfig({ traceConfig: config }: SimulateRequest, { developerApi }: SimulateOptions): void {
  const { enable, stackChange, scratchChange, stateChange } = config;
  if (enable && !developerApi) {
    throw new DevnodeError(
      'refused',
      'the local configuration of the node has `EnableDeveloperAPI` turned off, while requesting for execution trace',
    );
  }
  if (enable) return;
  const needsEnable = (what: string): DevnodeError =>
    refused(`basic trace must be enabled when enabling ${what} tracing`);
  if (stackChange) throw needsEnable('stack');
  if (scratchChange) throw needsEnable('scratch slot change');
  if (stateChange) throw needsEnable('app state change');
}

type Outcome = Pick<Simulated, 'applied' | 'failure' | 'programs'>;

interface SimulationContext {
  readonly chain: Chain;
  readonly state: State;
  readonly round: bigint;
  readonly unnamed: NotedResources | undefined;
  readonly fixed: FixedSigners;
}

function outcomeOf(members: readonly GroupMember[], request: SimulateRequest, context: SimulationContext): Outcome {
  if (request.extraOpcodeBudget > MAX_EXTRA_BUDGET) {
    throw refused(`extra budget ${request.extraOpcodeBudget} > simulation extra budget limit ${MAX_EXTRA_BUDGET}`);
  }
  const { chain, state, round } = context;
  try {
    const outcome = evaluateGroup(members, state, {
      chain: chain.context,
      round: round + 1n,
      counter: chain.counterAt(round),
      uses: chain.tail,
      simulated: simulatedPrograms(request, context),
    });
    return { applied: outcome.applied, failure: outcome.refused, programs: outcome.programs };
  } catch (error) {
    // Differs from algod: bounded-traces
    if (error instanceof TraceTooLong) throw new DevnodeError('unsupported', error.message, { cause: error });
    throw error;
  }
}

function simulatedPrograms(
  request: SimulateRequest,
  { unnamed, fixed }: SimulationContext,
): NonNullable<GroupContext['simulated']> {
  const { allowMoreLogging, extraOpcodeBudget, traceConfig: config, fixSigners } = request;
  return {
    limits: {
      maxLogCalls: allowMoreLogging ? Number(MAX_LOG_CALLS) : DEFAULT_LIMITS.maxLogCalls,
      maxLogBytes: allowMoreLogging ? Number(MAX_LOG_SIZE) : DEFAULT_LIMITS.maxLogBytes,
      extraBudget: Number(extraOpcodeBudget),
    },
    trace: config.enable,
    ...(unnamed && { unnamed }),
    ...(fixSigners && {
      memberAt(index: number, state: State) {
        const before = fixed.members[index - 1]?.transaction;
        if (before !== undefined && hasRunProgram(before, state)) fixed.fixToCall(index, state);
        return fixed.members[index];
      },
    }),
  };
}

/** Every call has, but one that clears the state of an application which no longer exists. */
function hasRunProgram({ type, onCompletion, applicationId }: Transaction, state: State): boolean {
  return (
    type === 'appl' && (onCompletion !== ON_COMPLETION.clearState || state.application(applicationId) !== undefined)
  );
}

function formFailure(members: readonly GroupMember[], context: VerifyContext): Refusal | undefined {
  if (members.some(({ transaction }) => transaction.type === 'stpf')) {
    throw new DevnodeError('internal', 'cannot simulate StateProof transactions', { status: 500 });
  }
  for (const [index, { transaction }] of members.entries()) {
    const problem = formProblem(transaction, context);
    if (problem !== undefined) return new Refusal(problem, index);
  }
  return undefined;
}

/** The refusal of a member. Errors that no single member causes are thrown on, and answered with 400. */
async function signatureFailure(
  members: readonly GroupMember[],
  { allowEmptySignatures }: SimulateRequest,
  { logic, ...context }: VerifyContext & { readonly logic: LogicPrograms },
): Promise<Refusal | undefined> {
  const mustBeSigned = (member: GroupMember): boolean =>
    context.mustBeSigned(member) && !(allowEmptySignatures && isUnsigned(member.signed));
  try {
    verifyGroupForm(members, context);
    await verifySignatures(members, { ...context, mustBeSigned }, logic);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.member !== undefined) return error;
    throw error;
  }
}

function response(
  request: SimulateRequest,
  round: bigint,
  { result, programs }: { readonly result: GroupResult; readonly programs: ApplicationGroup | undefined },
): SimulateResponse {
  const { allowMoreLogging } = request;
  return simulateResponse.of({
    version: RESPONSE_VERSION,
    lastRound: round,
    groups: [result],
    evalOverrides: evalOverrides.of({
      allowEmptySignatures: request.allowEmptySignatures,
      allowUnnamedResources: request.allowUnnamedResources,
      maxLogCalls: allowMoreLogging ? MAX_LOG_CALLS : 0n,
      maxLogSize: allowMoreLogging ? MAX_LOG_SIZE : 0n,
      extraOpcodeBudget: request.extraOpcodeBudget,
      fixSigners: request.fixSigners,
    }),
    traceConfig: traceConfig.of(request.traceConfig),
    initialStates: request.traceConfig.stateChange ? initialStatesOf(programs) : undefined,
  });
}
