import { formatAddress } from '@avm402/algorand/address';
import { pendingTransaction } from '../codec/schema/pending.ts';
import {
  evalOverrides,
  simulateResponse,
  traceConfig,
  transactionResult,
  type GroupResult,
  type SimulateRequest,
  type SimulateResponse,
  type TransactionResult,
} from '../codec/schema/simulate.ts';
import { MAX_UINT64 } from '../codec/integer.ts';
import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import { applyDataOf } from '../ledger/effects.ts';
import { groupUsage } from '../ledger/fee.ts';
import { effectsOf } from '../transaction/effects.ts';
import { evaluateGroup, type AppliedTransaction } from '../ledger/evaluate-group.ts';
import { Refusal } from '../transaction/refusal.ts';
import type { State } from '../ledger/state/state.ts';
import { GroupPrograms } from '../verify/group-programs.ts';
import { groupMember, type GroupMember } from '../transaction/member.ts';
import { isUnsigned } from '../verify/unsigned.ts';
import { verifyGroupForm, verifySignatures, type VerifyContext } from '../verify/verify-group.ts';
import { formProblem } from '../form/well-formed.ts';
import { opcodesBefore } from '../ledger/opcodes-before.ts';
import { executionTraceOf } from './execution-trace.ts';
import { fixSigners, type FixedMember } from './fix-signers.ts';

const RESPONSE_VERSION = 2n;
const MAX_EXTRA_BUDGET = 320_000n;
const BUDGET_PER_CALL = 700n;
const MAX_LOG_CALLS = 2048n;
const MAX_LOG_SIZE = 65_536n;

/** Gives members that need no signature the authorizer of their accounts. */
export type Authorize = (group: readonly GroupMember[], state: State) => readonly GroupMember[];

export interface SimulateOptions extends Pick<VerifyContext, 'programs' | 'signatures' | 'mustBeSigned'> {
  /** Whether execution may be traced (algod's `EnableDeveloperAPI`). */
  readonly developerApi: boolean;
  readonly authorize: Authorize;
}

/**
 * Simulates a group (go-algorand ledger/simulation/simulator.go).
 * @throws DevnodeError 400 or 500 with algod's text, where algod gives no result
 */
export function simulate(request: SimulateRequest, chain: Chain, options: SimulateOptions): SimulateResponse {
  const group = requestedGroup(request, chain);
  const round = request.round === 0n ? chain.latest.round : request.round;
  const state = stateAfter(round, chain);
  checkTraceConfig(request, options);
  const members = group.map(groupMember);
  const fixed: FixedMember[] = request.fixSigners
    ? fixSigners(members, state, (member) => isUnsigned(member.signed))
    : members.map((member) => ({ member, fixedSigner: undefined }));
  const { signatures, mustBeSigned, authorize } = options;
  const judged = authorize(
    fixed.map(({ member }) => member),
    state,
  );
  const mode = { trace: request.traceConfig.enable, describe: opcodesBefore };
  const programs = new GroupPrograms(judged, options.programs, mode);
  const outcome = outcomeOf(judged, request, { chain, state, round, programs, signatures, mustBeSigned });
  return response(request, round, groupResult(members, fixed, { chain, outcome, programs, request }));
}

function requestedGroup({ groups = [], fixSigners: fix, allowEmptySignatures }: SimulateRequest, chain: Chain) {
  const { maxGroupSize } = chain.parameters;
  for (const { transactions = [] } of groups) {
    if (transactions.length === 0) throw new DevnodeError('refused', 'empty txgroup');
    if (transactions.length > maxGroupSize) {
      const problem = `transaction group size ${transactions.length} exceeds protocol max ${maxGroupSize}`;
      throw new DevnodeError('refused', problem);
    }
  }
  if (fix && !allowEmptySignatures) {
    throw new DevnodeError('refused', 'FixSigners requires AllowEmptySignatures to be enabled');
  }
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0) {
    throw new DevnodeError('refused', `expected 1 transaction group, got ${groups.length}`);
  }
  return group.transactions ?? [];
}

function stateAfter(round: bigint, chain: Chain): State {
  const state = chain.stateAt(round);
  if (state !== undefined) return state;
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
    new DevnodeError('refused', `basic trace must be enabled when enabling ${what} tracing`);
  if (stackChange) throw needsEnable('stack');
  if (scratchChange) throw needsEnable('scratch slot change');
  if (stateChange) throw needsEnable('app state change');
}

/** The effects of the members, up to and including the one that failed, if one did. */
interface Outcome {
  /** Absent if the group was not evaluated. */
  readonly budgetAdded?: bigint;
  readonly applied: readonly AppliedTransaction[];
  readonly failure: Pick<Refusal, 'member' | 'message'> | undefined;
}

interface Place extends Pick<VerifyContext, 'signatures' | 'mustBeSigned'> {
  readonly chain: Chain;
  readonly state: State;
  readonly round: bigint;
  readonly programs: GroupPrograms;
}

function outcomeOf(members: readonly GroupMember[], request: SimulateRequest, place: Place): Outcome {
  const failure = formFailure(members, place.chain) ?? groupFailure(members, place.chain);
  if (failure !== undefined) return { applied: [], failure };
  const badSignature = signatureFailure(members, request, place);
  if (badSignature !== undefined) return { applied: [], failure: badSignature };
  if (request.extraOpcodeBudget > MAX_EXTRA_BUDGET) {
    const problem = `extra budget ${request.extraOpcodeBudget} > simulation extra budget limit ${MAX_EXTRA_BUDGET}`;
    throw new DevnodeError('refused', problem);
  }
  const { chain, state, round } = place;
  const context = { chain: chain.context, round: round + 1n, counter: chain.counterAt(round), uses: chain.tail };
  const { applied, refused } = evaluateGroup(members, state, context);
  return { applied, failure: refused, budgetAdded: budgetAdded(members, request) };
}

/** The opcode budget that a group's calls add for their programs to share, as soon as the group is evaluated. */
function budgetAdded(members: readonly GroupMember[], { extraOpcodeBudget }: SimulateRequest): bigint {
  const calls = members.filter(({ transaction }) => transaction.type === 'appl').length;
  return calls === 0 ? 0n : BUDGET_PER_CALL * BigInt(calls) + extraOpcodeBudget;
}

function formFailure(members: readonly GroupMember[], chain: Chain): Refusal | undefined {
  if (members.some(({ transaction }) => transaction.type === 'stpf')) {
    throw new DevnodeError('internal', 'cannot simulate StateProof transactions', { status: 500 });
  }
  for (const [index, { transaction }] of members.entries()) {
    const problem = formProblem(transaction, chain.genesis);
    if (problem !== undefined) return new Refusal(problem, index);
  }
  return undefined;
}

function groupFailure(members: readonly GroupMember[], chain: Chain): Refusal | undefined {
  return failureOfMember(() => verifyGroupForm(members, chain.genesis));
}

function signatureFailure(
  members: readonly GroupMember[],
  { allowEmptySignatures }: SimulateRequest,
  { chain, programs, signatures, mustBeSigned }: Place,
): Refusal | undefined {
  const isLookedAt = (member: GroupMember): boolean =>
    mustBeSigned(member) && !(allowEmptySignatures && isUnsigned(member.signed));
  const verification = { context: chain.genesis, programs, signatures, mustBeSigned: isLookedAt };
  return failureOfMember(() => verifySignatures(members, verification));
}

/** The refusal of a member. Errors that no single member causes are thrown on, and answered with 400. */
function failureOfMember(step: () => void): Refusal | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.member !== undefined) return error;
    throw error;
  }
}

interface Result {
  readonly chain: Chain;
  readonly outcome: Outcome;
  readonly programs: GroupPrograms;
  readonly request: SimulateRequest;
}

function groupResult(
  given: readonly GroupMember[],
  fixed: readonly FixedMember[],
  { chain, outcome, programs, request }: Result,
): GroupResult {
  const { applied, failure } = outcome;
  return {
    transactions: given.map((member, index) => ({
      ...memberResult(member, fixed[index]?.fixedSigner, applied[index]),
      logicBudgetConsumed: BigInt(programs.results[index]?.cost ?? 0),
      executionTrace: executionTraceOf(member, programs.results[index], request.traceConfig),
    })),
    failureMessage: failure?.message ?? '',
    budgetAdded: outcome.budgetAdded ?? 0n,
    failedAt: failure?.member === undefined ? undefined : [BigInt(failure.member)],
    usage: groupUsage(
      given.map(({ signed }) => signed),
      chain.parameters,
    ),
    feesPaid: saturated(given.reduce((sum, { transaction }) => sum + transaction.fee, 0n)),
  };
}

const saturated = (value: bigint): bigint => (value > MAX_UINT64 ? MAX_UINT64 : value);

function memberResult(
  { signed, transaction }: GroupMember,
  fixedSigner: Uint8Array | undefined,
  applied: AppliedTransaction | undefined,
): TransactionResult {
  return transactionResult.of({
    result: pendingTransaction.of({
      ...effectsOf(transaction, applyDataOf(applied?.effects ?? {})),
      transaction: signed,
    }),
    feesPaid: transaction.fee,
    fixedSigner: fixedSigner === undefined ? '' : formatAddress(fixedSigner),
  });
}

function response(request: SimulateRequest, round: bigint, group: GroupResult): SimulateResponse {
  const { allowMoreLogging } = request;
  return simulateResponse.of({
    version: RESPONSE_VERSION,
    lastRound: round,
    groups: [group],
    evalOverrides: evalOverrides.of({
      allowEmptySignatures: request.allowEmptySignatures,
      allowUnnamedResources: request.allowUnnamedResources,
      maxLogCalls: allowMoreLogging ? MAX_LOG_CALLS : 0n,
      maxLogSize: allowMoreLogging ? MAX_LOG_SIZE : 0n,
      extraOpcodeBudget: request.extraOpcodeBudget,
      fixSigners: request.fixSigners,
    }),
    traceConfig: traceConfig.of(request.traceConfig),
    initialStates: request.traceConfig.stateChange ? 'asked for' : undefined,
  });
}
