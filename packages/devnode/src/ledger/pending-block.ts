import { formatAddress } from '@avm402/algorand/address';
import { encode } from '../codec/document.ts';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { transactionInBlock, type ApplyData } from '../codec/schema/signed-transaction.ts';
import { transaction as transactionSchema } from '../codec/schema/transaction.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { authorizerOf, idText, type GroupMember } from '../transaction/member.ts';
import { addressKey, addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import { isEmptyAccount } from './account.ts';
import { applyTransaction } from './apply/apply-transaction.ts';
import { groupFeeProblem } from './fee.ts';
import { minBalanceOf } from './min-balance.ts';
import { moveMoney } from './move-money.ts';
import { BlockFull, prefixRefusal, Refusal } from '../transaction/refusal.ts';
import { StateDelta, type State } from './state.ts';
import { leaseOf, type TransactionTail } from './transaction-tail.ts';

/** The chain as far as a new block depends on it. */
export interface ChainContext {
  readonly parameters: ConsensusParameters;
  readonly genesisId: string;
  readonly genesisHash: Uint8Array;
  readonly feeSink: AddressKey;
  readonly rewardsPool: AddressKey;
  /** Accounts that the minimum balance rule does not bind. */
  readonly exempt: ReadonlySet<AddressKey>;
  /** What confirmed transactions forbid. */
  readonly tail: TransactionTail;
}

/** A transaction with what it did. */
export interface AppliedTransaction {
  readonly member: GroupMember;
  readonly applyData: Partial<ApplyData>;
}

/** A transaction that has its place in the block being built. */
export interface PlacedTransaction extends AppliedTransaction {
  /** As the block holds it. */
  readonly encoded: Uint8Array;
}

/** What changes with each transaction of a block or group: merged upwards when a group has passed. */
class Changes {
  readonly state: StateDelta;
  readonly ids = new Set<string>();
  readonly leases = new Map<string, bigint>();
  fees = 0n;
  /** Those they are laid over, until these are confirmed. */
  before: Changes | undefined;

  constructor(parent: State, before?: Changes) {
    this.state = new StateDelta(parent);
    this.before = before;
  }

  merge(child: Changes): void {
    this.state.merge(child.state);
    for (const id of child.ids) this.ids.add(id);
    for (const [lease, expiry] of child.leases) this.leases.set(lease, expiry);
    this.fees += child.fees;
  }
}

/** What became of a group: what its members did, up to and with the one that was refused if one was. */
export interface GroupOutcome {
  readonly applied: readonly AppliedTransaction[];
  readonly refusal: Refusal | undefined;
}

/** A group under evaluation. */
interface Evaluation {
  readonly changes: Changes;
  readonly applied: AppliedTransaction[];
}

/** What a block is built on. */
export interface PendingBlockBase {
  readonly state: State;
  readonly round: bigint;
  /** Transactions in all blocks so far. */
  readonly counter: bigint;
  /** The block before, if that is pending, too. */
  readonly parent?: PendingBlock;
}

/**
 * The block being built on top of a state (go-algorand ledger/eval/eval.go). Groups are evaluated one after another;
 * a group that fails changes nothing.
 */
export class PendingBlock {
  readonly round: bigint;
  readonly #context: ChainContext;
  readonly #changes: Changes;
  readonly #transactions: PlacedTransaction[] = [];
  #bytes = 0;
  readonly #counterBefore: bigint;

  constructor(context: ChainContext, base: PendingBlockBase) {
    this.#context = context;
    this.round = base.round;
    this.#counterBefore = base.counter;
    this.#changes = new Changes(base.state, base.parent === undefined ? undefined : base.parent.#changes);
    // Each block begins with the rewards, which change the pool even where they are nothing.
    this.state.setAccount(context.rewardsPool, this.state.account(context.rewardsPool));
  }

  /** The block after this one, while this one is pending itself. */
  next(): PendingBlock {
    const base = { state: this.state, round: this.round + 1n, counter: this.counter, parent: this };
    return new PendingBlock(this.#context, base);
  }

  /** The block before, which was pending, is confirmed: the state holds its changes, the tail its ids and leases. */
  confirmParent(state: State): void {
    this.#changes.before = undefined;
    this.state.layOver(state);
  }

  get state(): StateDelta {
    return this.#changes.state;
  }

  get transactions(): readonly PlacedTransaction[] {
    return this.#transactions;
  }

  get leases(): ReadonlyMap<string, bigint> {
    return this.#changes.leases;
  }

  /** Sum of the encoded transactions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** µAlgo of all fees. */
  get fees(): bigint {
    return this.#changes.fees;
  }

  /** Number of transactions in all blocks, this one included. */
  get counter(): bigint {
    return this.#counterBefore + BigInt(this.#transactions.length);
  }

  /**
   * Evaluates a group that has passed `verifyGroup` and takes it into the block.
   * @throws Refusal with algod's text
   */
  add(members: readonly GroupMember[]): void {
    const { changes, applied, refusal } = this.#evaluate(members);
    if (refusal !== undefined) throw refusal;
    const placed = applied.map((each) => ({ ...each, encoded: encodeInBlock(each) }));
    const bytes = placed.reduce((sum, { encoded }) => sum + encoded.length, 0);
    if (this.#bytes + bytes > this.#context.parameters.maxBlockBytes) {
      throw new BlockFull('block does not have space for transaction');
    }
    this.#changes.merge(changes);
    this.#transactions.push(...placed);
    this.#bytes += bytes;
  }

  /** Evaluates a group without taking it in: whether the block has space for it is not looked at. */
  evaluate(members: readonly GroupMember[]): GroupOutcome {
    return this.#evaluate(members);
  }

  #evaluate(members: readonly GroupMember[]): Evaluation & GroupOutcome {
    const evaluation: Evaluation = { changes: new Changes(this.#changes.state, this.#changes), applied: [] };
    try {
      for (const [index, member] of members.entries()) {
        withMember(index, () => this.#evaluateMember(member, evaluation));
      }
      this.#checkFees(members);
      return { ...evaluation, refusal: undefined };
    } catch (error) {
      if (error instanceof Refusal) return { ...evaluation, refusal: error };
      throw error;
    }
  }

  #checkFees(members: readonly GroupMember[]): void {
    const problem = groupFeeProblem(
      members.map(({ signed }) => signed),
      this.#context.parameters,
    );
    if (problem !== undefined) throw new Refusal(problem, members.length - 1);
  }

  #evaluateMember(member: GroupMember, evaluation: Evaluation): void {
    const { changes } = evaluation;
    this.#checkAlive(member);
    this.#checkUnused(member, changes);
    this.#checkAuthorizer(member, changes.state);
    prefixRefusal(
      () => `transaction ${idText(member.txId)}: `,
      () => this.#apply(member, evaluation),
    );
    changes.fees += member.transaction.fee;
    changes.ids.add(member.key);
    const lease = leaseOf(member.transaction);
    if (lease !== undefined) changes.leases.set(lease, member.transaction.lastValid);
  }

  #checkAlive({ transaction }: GroupMember): void {
    const { firstValid, lastValid, genesisId, genesisHash } = transaction;
    const expected = this.#context;
    if (this.round < firstValid || this.round > lastValid) {
      throw new Refusal(`txn dead: round ${this.round} outside of ${firstValid}--${lastValid}`);
    }
    if (genesisId !== '' && genesisId !== expected.genesisId) {
      throw new Refusal(`tx.GenesisID <${genesisId}> does not match expected <${expected.genesisId}>`);
    }
    if (isAllZero(genesisHash)) throw new Refusal('required tx.GenesisHash is missing');
    if (!sameBytes(genesisHash, expected.genesisHash)) {
      throw new Refusal(
        `tx.GenesisHash <${idText(genesisHash)}> does not match expected <${idText(expected.genesisHash)}>`,
      );
    }
  }

  /** Within the block the id is looked at before the lease, in the confirmed tail after it. */
  #checkUnused(member: GroupMember, group: Changes): void {
    const lease = leaseOf(member.transaction);
    for (let changes: Changes | undefined = group; changes !== undefined; changes = changes.before) {
      this.#checkUnusedIn(changes, member, lease);
    }
    const { tail } = this.#context;
    if (lease !== undefined && tail.isHeld(lease, this.round)) throw overlappingLease(member.txId, lease);
    if (tail.place(member.key) !== undefined) throw alreadyInLedger(member.txId);
  }

  #checkUnusedIn({ ids, leases }: Changes, { txId, key }: GroupMember, lease: string | undefined): void {
    if (ids.has(key)) throw alreadyInLedger(txId);
    if (lease !== undefined && this.round <= (leases.get(lease) ?? -1n)) throw overlappingLease(txId, lease);
  }

  #checkAuthorizer({ signed, transaction, txId }: GroupMember, state: StateDelta): void {
    const authorizer = authorizerOf(signed);
    const expected = state.account(addressKey(transaction.sender)).authAddress ?? transaction.sender;
    if (sameBytes(authorizer, expected)) return;
    const [right, wrong] = [formatAddress(expected), formatAddress(authorizer)];
    throw new Refusal(
      `transaction ${idText(txId)}: should have been authorized by ${right} but was actually authorized by ${wrong}`,
    );
  }

  #apply(member: GroupMember, { changes, applied }: Evaluation): void {
    const { parameters, feeSink } = this.#context;
    const { transaction } = member;
    const { state } = changes;
    const counter = this.counter + BigInt(applied.length);
    const applyData = {};
    // Whatever it does from here on is told, though it may be refused in the end.
    applied.push({ member, applyData });
    const sender = addressKey(transaction.sender);
    moveMoney(state, sender, feeSink, transaction.fee);
    applyTransaction(transaction, { state, parameters, round: this.round, counter, sender, applyData });
    this.#checkMinBalances(state);
  }

  /** Every account that the group has changed so far must keep its minimum, or be gone altogether. */
  #checkMinBalances(state: StateDelta): void {
    for (const [key, account] of state.accounts) {
      if (this.#context.exempt.has(key) || isEmptyAccount(account)) continue;
      const { microAlgos, totalAssets } = account;
      const minimum = minBalanceOf(account, this.#context.parameters);
      if (microAlgos >= minimum) continue;
      const who = formatAddress(addressOfKey(key));
      throw new Refusal(`account ${who} balance ${microAlgos} below min ${minimum} (${totalAssets} assets)`);
    }
  }
}

/** Runs a step for one member of a group, so that its refusal says which one it was. */
function withMember(index: number, step: () => void): void {
  try {
    step();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(error.message, index) : error;
  }
}

function alreadyInLedger(txId: Uint8Array): Refusal {
  return new Refusal(`transaction already in ledger: ${idText(txId)}`);
}

function overlappingLease(txId: Uint8Array, lease: string): Refusal {
  const [sender, value] = [lease.slice(0, 32), lease.slice(32)].map((key) => formatAddress(addressOfKey(key)));
  return new Refusal(`transaction ${idText(txId)} using an overlapping lease (sender, lease):(${sender}, ${value})`);
}

/** A block leaves out the genesis, which its header names, and says only whether the id was there. */
function encodeInBlock({ member, applyData }: AppliedTransaction): Uint8Array {
  const { signed, transaction } = member;
  const { genesisId, genesisHash } = transactionSchema.zero;
  return encode(transactionInBlock, {
    ...transactionInBlock.zero,
    ...signed,
    transaction: { ...transaction, genesisId, genesisHash },
    ...applyData,
    hasGenesisId: transaction.genesisId !== '',
  });
}
