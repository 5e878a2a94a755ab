import { textOfBytes } from '../codec/utf8.ts';
import { formatAddress } from '@avm402/algorand/address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import type { ApplyData } from '../codec/schema/apply-data.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { addressKey, addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import { authorizerOf, idText, type GroupMember } from '../transaction/member.ts';
import { Refusal } from '../transaction/refusal.ts';
import { applyTransaction } from './apply/apply-transaction.ts';
import { groupFeeProblem } from './fee.ts';
import { minBalanceOf } from './min-balance.ts';
import { moveMoney } from './move-money.ts';
import { StateDelta, type State } from './state/state.ts';
import { NewUses, useOf, type Uses } from './uses.ts';

/** The context that all blocks of a chain share. */
export interface ChainContext {
  readonly parameters: ConsensusParameters;
  readonly genesisId: string;
  readonly genesisHash: Uint8Array;
  readonly feeSink: AddressKey;
  readonly rewardsPool: AddressKey;
  /** Accounts that are exempt from the minimum balance rule. */
  readonly exempt: ReadonlySet<AddressKey>;
}

/** A group's place in the chain. */
export interface GroupContext {
  readonly chain: ChainContext;
  /** The round of the block that the group would be in. */
  readonly round: bigint;
  /** The number of transactions before the group, in all blocks and in this one. */
  readonly counter: bigint;
  /** The ids and leases that earlier transactions have used up. */
  readonly uses: Uses;
}

/** A transaction with its effects. */
export interface AppliedTransaction {
  readonly member: GroupMember;
  readonly applyData: Partial<ApplyData>;
}

/** Why a group is refused, in algod's words, and because of which member. */
export interface GroupRefusal {
  readonly member: number;
  readonly message: string;
}

/** The outcome for a group. If it was refused, `applied` ends with the member that was refused. */
export type GroupOutcome =
  | {
      readonly refused: undefined;
      readonly applied: readonly AppliedTransaction[];
      readonly changes: StateDelta;
      readonly uses: NewUses;
    }
  | { readonly refused: GroupRefusal; readonly applied: readonly AppliedTransaction[] };

/**
 * Evaluates a group that has passed `verifyGroup` (go-algorand ledger/eval/eval.go). The state is not modified; the
 * changes are in the outcome.
 * @throws DevnodeError `unsupported` for what this node can't judge
 */
export function evaluateGroup(group: readonly GroupMember[], state: State, context: GroupContext): GroupOutcome {
  const evaluation = new Evaluation(state, context);
  const { applied, changes, uses } = evaluation;
  for (const [index, member] of group.entries()) {
    const message = evaluation.take(member);
    if (message !== undefined) return { applied, refused: { member: index, message } };
  }
  const signed = group.map((member) => member.signed);
  const message = groupFeeProblem(signed, context.chain.parameters);
  if (message !== undefined) return { applied, refused: { member: group.length - 1, message } };
  return { applied, changes, uses, refused: undefined };
}

/** The evaluation of a group, member by member. */
class Evaluation {
  readonly changes: StateDelta;
  readonly uses: NewUses;
  readonly applied: AppliedTransaction[] = [];
  readonly #context: GroupContext;

  constructor(state: State, context: GroupContext) {
    this.changes = new StateDelta(state);
    this.uses = new NewUses(context.uses);
    this.#context = context;
  }

  /** Applies the next member; gives algod's reason if it is refused. */
  take(member: GroupMember): string | undefined {
    const use = useOf(member);
    const problem =
      aliveProblem(member, this.#context) ??
      this.uses.problemOf(use, this.#context.round) ??
      authorizerProblem(member, this.changes) ??
      this.#apply(member);
    if (problem === undefined) this.uses.add(use);
    return problem;
  }

  #apply(member: GroupMember): string | undefined {
    const { chain, round, counter } = this.#context;
    const { transaction } = member;
    const [state, applyData, sender] = [this.changes, {}, addressKey(transaction.sender)];
    const context = {
      state,
      parameters: chain.parameters,
      round,
      counter: counter + BigInt(this.applied.length),
      sender,
      applyData,
    };
    // From here on, its effects are reported even if it is refused in the end.
    this.applied.push({ member, applyData });
    try {
      moveMoney(state, sender, chain.feeSink, transaction.fee);
      applyTransaction(transaction, context);
      checkMinBalances(state, chain);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return `transaction ${idText(member.txId)}: ${error.message}`;
      throw error;
    }
  }
}

function aliveProblem({ transaction }: GroupMember, { chain, round }: GroupContext): string | undefined {
  const { firstValid, lastValid, genesisId, genesisHash } = transaction;
  if (round < firstValid || round > lastValid) return `txn dead: round ${round} outside of ${firstValid}--${lastValid}`;
  if (genesisId !== '' && genesisId !== chain.genesisId) {
    return `tx.GenesisID <${textOfBytes(genesisId)}> does not match expected <${chain.genesisId}>`;
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
    const who = formatAddress(addressOfKey(key));
    throw new Refusal(`account ${who} balance ${microAlgos} below min ${minimum} (${totalAssets} assets)`);
  }
}
