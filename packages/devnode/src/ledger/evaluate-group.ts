import { applicationGroup, type ApplicationGroup, type Failure, type GroupPrograms } from '@avm402/teal/application';
import { formatAddress } from '@avm402/algorand/address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { ErrorDetails } from '../errors.ts';
import { addressKey, addressText } from '../transaction/address-key.ts';
import { authorizerOf, type GroupMember, idText } from '../transaction/member.ts';
import { Refusal } from '../transaction/refusal.ts';
import { applyTransaction } from './apply/apply-transaction.ts';
import type { ApplyContext } from './apply/context.ts';
import type { ChainContext, GroupContext } from './context.ts';
import { type TransactionEffects, transactionOf } from './effects.ts';
import { groupFeeProblem, surplusOf } from './fee.ts';
import { minBalanceOf } from './min-balance.ts';
import { moveMoney } from './move-money.ts';
import { opcodesBefore } from './opcodes-before.ts';
import { ProgramLedger } from './program-ledger.ts';
import { type State, StateDelta } from './state/state.ts';
import { NewUses, useOf } from './uses.ts';
import { exactText } from '@avm402/teal/go';

/** A transaction with its effects. */
export interface AppliedTransaction {
  readonly member: GroupMember;
  readonly effects: TransactionEffects;
}

/** Why a group is refused, in algod's words, and because of which member. */
export interface GroupRefusal {
  readonly member: number;
  readonly message: string;
  /** Where and in which state a program failed. */
  readonly data?: ErrorDetails | undefined;
}

/** The outcome for a group. If it was refused, `applied` ends with the member that was refused. */
export type GroupOutcome =
  | {
      readonly refused: undefined;
      readonly applied: readonly AppliedTransaction[];
      readonly changes: StateDelta;
      readonly uses: NewUses;
      /** The number of transactions up to the end of the group, inner ones included. */
      readonly counter: bigint;
      readonly programs: ApplicationGroup | undefined;
    }
  | {
      readonly refused: GroupRefusal;
      readonly applied: readonly AppliedTransaction[];
      readonly programs: ApplicationGroup | undefined;
    };

/**
 * Evaluates a group that has passed `verifyGroup` (go-algorand ledger/eval/eval.go). The state is not modified; the
 * changes are in the outcome.
 * @throws DevnodeError `unsupported` for what this node can't judge
 */
export function evaluateGroup(group: readonly GroupMember[], state: State, context: GroupContext): GroupOutcome {
  const evaluation = new Evaluation(group, state, context);
  const { applied, changes, uses, programs } = evaluation;
  for (const member of group.keys()) {
    const refused = evaluation.take(member);
    if (refused !== undefined) return { applied, programs, refused: { ...refused, member } };
  }
  const signed = group.map((member) => member.signed);
  const message = groupFeeProblem(signed, context.chain.parameters);
  if (message !== undefined) return { applied, programs, refused: { member: group.length - 1, message } };
  trimBoxes(changes);
  return { applied, changes, uses, programs, counter: evaluation.counter, refused: undefined };
}

/** Boxes that programs have resized may lie in larger buffers, which the state shall not keep. */
function trimBoxes({ tables: { boxes } }: StateDelta): void {
  for (const [key, content] of boxes.entries()) {
    if (content !== undefined && content.buffer.byteLength > content.length) boxes.set(key, new Uint8Array(content));
  }
}

type Problem = Omit<GroupRefusal, 'member'>;

/** The evaluation of a group, member by member. */
class Evaluation {
  readonly changes: StateDelta;
  readonly uses: NewUses;
  readonly applied: AppliedTransaction[] = [];
  /** The programs of the group's calls; undefined if it has none. */
  readonly programs: ApplicationGroup | undefined;
  /** The number of transactions so far, inner ones included. */
  counter: bigint;
  readonly #group: readonly AppliedTransaction[];
  readonly #context: GroupContext;
  readonly #ledger: ProgramLedger | undefined;

  constructor(group: readonly GroupMember[], state: State, context: GroupContext) {
    this.changes = new StateDelta(state);
    this.uses = new NewUses(context.uses);
    this.counter = context.counter;
    this.#context = context;
    this.#group = group.map((member) => ({ member, effects: {} }));
    if (!group.some(({ transaction }) => transaction.type === 'appl')) return;
    this.#ledger = new ProgramLedger(this.changes, context, (inner, index) => this.#perform(inner, index));
    this.programs = this.#openPrograms(this.#ledger);
  }

  /** Applies the next member; gives algod's reason if it is refused. */
  take(index: number): Problem | undefined {
    const applied = this.#group[index];
    if (applied === undefined) return undefined;
    const member = this.#context.simulated?.memberAt?.(index, this.changes) ?? applied.member;
    const use = useOf(member);
    const message =
      aliveProblem(member, this.#context) ??
      this.uses.problemOf(use, this.#context.round) ??
      authorizerProblem(member, this.changes);
    const problem = message === undefined ? this.#apply(applied, index) : { message };
    if (problem === undefined) this.uses.add(use);
    return problem;
  }

  #apply(applied: AppliedTransaction, index: number): Problem | undefined {
    const { member, effects } = applied;
    // From here on, its effects are reported even if it is refused in the end.
    this.applied.push(applied);
    try {
      this.#takeEffect(member.transaction, { effects, index, programs: this.programs });
      this.programs?.applied(index);
      checkMinBalances(this.changes, this.#context.chain);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { message: `transaction ${idText(member.txId)}: ${error.message}`, data: error.data };
    }
  }

  /** Performs a transaction that a program has submitted. */
  #perform(programs: GroupPrograms, index: number): Failure | undefined {
    const member = programs.members[index];
    if (member === undefined) return undefined;
    try {
      this.#takeEffect(transactionOf(member.transaction), { effects: member.effects, index, programs });
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { message: error.message, ...(error.data && { data: error.data }) };
    }
  }

  #takeEffect(transaction: Transaction, place: Pick<ApplyContext, 'effects' | 'index' | 'programs'>): void {
    const { chain, round } = this.#context;
    const [state, sender] = [this.#ledger?.state ?? this.changes, addressKey(transaction.sender)];
    moveMoney(state, sender, chain.feeSink, transaction.fee);
    this.counter++;
    applyTransaction(transaction, {
      ...place,
      state,
      sender,
      round,
      parameters: chain.parameters,
      number: this.counter,
      attempt: (step) => this.#ledger?.attempt(step),
    });
  }

  #openPrograms(ledger: ProgramLedger): ApplicationGroup {
    const { chain, simulated } = this.#context;
    const signed = this.#group.map(({ member }) => member.signed);
    return applicationGroup({
      describe: opcodesBefore,
      ...simulated,
      ...surplusOf(signed, chain.parameters),
      members: this.#group.map(({ member: { txId, transaction }, effects }) => ({ txId, transaction, effects })),
      ledger,
      environment: chain.environment,
    });
  }
}

function aliveProblem({ transaction }: GroupMember, { chain, round }: GroupContext): string | undefined {
  const { firstValid, lastValid, genesisId, genesisHash } = transaction;
  if (round < firstValid || round > lastValid) return `txn dead: round ${round} outside of ${firstValid}--${lastValid}`;
  if (genesisId !== '' && genesisId !== chain.genesisId) {
    return `tx.GenesisID <${exactText(genesisId)}> does not match expected <${chain.genesisId}>`;
  }
  if (isAllZero(genesisHash)) return 'required tx.GenesisHash is missing';
  if (sameBytes(genesisHash, chain.genesisHash)) return undefined;
  return `tx.GenesisHash <${idText(genesisHash)}> does not match expected <${idText(chain.genesisHash)}>`;
}

function authorizerProblem({ signed, transaction, txId }: GroupMember, state: State): string | undefined {
  const authorizer = authorizerOf(signed);
  const expected = state.account(addressKey(transaction.sender)).authAddress ?? transaction.sender;
  if (sameBytes(authorizer, expected)) return undefined;
  const [right, wrong] = [formatAddress(expected), formatAddress(authorizer)];
  return `transaction ${idText(txId)}: should have been authorized by ${right} but was actually authorized by ${wrong}`;
}

/** Every account that the group has changed so far must keep its minimum balance, unless it no longer exists. */
function checkMinBalances(state: StateDelta, { exempt, parameters }: ChainContext): void {
  for (const [key, account] of state.tables.accounts.entries()) {
    if (account === undefined || exempt.has(key)) continue;
    const { microAlgos, totalAssets } = account;
    const minimum = minBalanceOf(account, parameters);
    if (microAlgos >= minimum) continue;
    const who = addressText(key);
    throw new Refusal(`account ${who} balance ${microAlgos} below min ${minimum} (${totalAssets} assets)`);
  }
}
