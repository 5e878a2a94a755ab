import { DevClock } from '../block/dev-clock.ts';
import { decodeGroup } from '../codec/decode-group.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { DevnodeError, shuttingDown } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import type { BlockProduction, NodeCounters, SubmitOptions } from '../node.ts';
import { Refusal } from '../transaction/refusal.ts';
import { groupMember, idText, type GroupMember } from '../transaction/member.ts';
import { pqComplianceProblem } from '../verify/pq-compliance.ts';
import type { Programs } from '../verify/programs.ts';
import { type VerifyContext, verifyGroup } from '../verify/verify-group.ts';
import { Backlog } from './backlog.ts';
import { Pool } from './pool.ts';
import { refuseUnjudgeable } from './unjudgeable.ts';

export interface ProducerOptions {
  readonly blocks: BlockProduction;
  /** Exactly algod's dev mode. */
  readonly strict: boolean;
  readonly txPoolSize: number;
  readonly backlogSize: number;
  readonly now: () => number;
  readonly programs: Programs;
}

/** A group whose signatures are being verified. */
interface Arrival {
  readonly members: readonly GroupMember[];
  /** Rejects with the reason when it is refused. */
  readonly verified: Promise<void>;
}

/** A group whose submitter waits for what becomes of it. */
interface Submission extends Arrival {
  readonly accept: () => void;
  readonly refuse: (refusal: unknown) => void;
}

/** Takes submissions in and turns them into blocks. */
export class Producer {
  readonly pool: Pool;
  readonly clock: DevClock;
  /** Told of every new block. */
  onBlock: (round: bigint) => void = () => {};
  readonly #chain: Chain;
  readonly #options: ProducerOptions;
  readonly #backlog: Backlog;
  readonly #verification: VerifyContext;
  readonly #interval: NodeJS.Timeout | undefined;
  /** Submissions of this turn of the event loop. */
  #turn: Submission[] | undefined;
  /** Groups go into the pool in the order in which they came, however long their signatures take. */
  #order: Promise<void> = Promise.resolve();
  #closed = false;
  #accepted = 0;
  #refused = 0;
  #dropped = 0;

  constructor(chain: Chain, options: ProducerOptions) {
    const { blocks, now, programs } = options;
    const { parameters, feeSink, rewardsPool } = chain.genesis;
    this.#verification = { parameters, feeSink, rewardsPool, programs };
    this.#chain = chain;
    this.#options = options;
    this.pool = new Pool(chain, { maxTransactions: options.txPoolSize });
    this.clock = new DevClock({ now, devMode: chain.genesis.devMode });
    this.#backlog = new Backlog({
      capacity: options.backlogSize,
      process: (groups) => this.#processAsync(groups),
      onError: (error) => console.error('groups on the backlog were lost:', error),
    });
    if (typeof blocks === 'object') {
      this.#interval = setInterval(() => unattended(() => this.makeBlock()), blocks.everyMs);
    }
  }

  get counters(): NodeCounters {
    return {
      groupsAccepted: this.#accepted,
      groupsRefused: this.#refused,
      transactionsConfirmed: this.#chain.transactionCount,
      backlogDropped: this.#dropped,
      backlogRefused: this.#backlog.refused,
      backlogGroups: this.#backlog.size,
      poolTransactions: this.pool.size,
    };
  }

  /** Takes in a group; with instant blocks it resolves when the group's block is there. */
  async submit(bytes: Uint8Array, options: SubmitOptions): Promise<{ readonly txId: string }> {
    try {
      const members = this.#decode(bytes, options).map(groupMember);
      await this.#admitted(members);
      this.#accepted++;
      const [first] = members;
      return { txId: first === undefined ? '' : idText(first.txId) };
    } catch (error) {
      this.#refused++;
      throw error;
    }
  }

  /** Puts a group on the backlog. */
  submitAsync(bytes: Uint8Array, options: SubmitOptions): void {
    const group = this.#decode(bytes, options);
    refuseUnjudgeable(group, this.#verification);
    this.#backlog.add(group);
  }

  /** Makes a block of nothing but changes that no transaction makes. Throws what these refuse. */
  makeBlockWith(change: (state: StateDelta) => void): void {
    this.#checkOpen();
    const block = this.#chain.startBlock();
    change(block.state);
    this.#chain.append(block, this.clock.read());
    this.pool.rebuild();
    this.onBlock(block.round);
  }

  /** Makes a block of what is in the pool. */
  makeBlock(): void {
    this.#checkOpen();
    const { round } = this.pool.makeBlock(this.clock.read());
    this.onBlock(round);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#interval);
    this.#backlog.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw shuttingDown();
  }

  #decode(bytes: Uint8Array, { skipPqAddressCheck = false, bodyCut = false }: SubmitOptions): SignedTransaction[] {
    this.#checkOpen();
    const group = decodeGroup(bytes, { maxSize: this.#chain.parameters.maxGroupSize, cut: bodyCut });
    const problem = skipPqAddressCheck ? undefined : pqComplianceProblem(group);
    if (problem !== undefined) throw new DevnodeError('refused', problem);
    return group;
  }

  /** Does some work after all that was given before; what fails there does not stop what comes later. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#order.then(work);
    this.#order = done.catch(() => {});
    return done;
  }

  #arrival(members: readonly GroupMember[]): Arrival {
    const verified = verifyGroup(members, this.#verification);
    // A refusal is looked at when it is this group's turn.
    verified.catch(() => {});
    return { members, verified };
  }

  #admitted(members: readonly GroupMember[]): Promise<void> {
    const arrival = this.#arrival(members);
    const turn = (this.#turn ??= this.#startTurn());
    return new Promise((accept, refuse) => void turn.push({ ...arrival, accept, refuse }));
  }

  #startTurn(): Submission[] {
    const turn: Submission[] = [];
    setImmediate(() => {
      this.#turn = undefined;
      void this.#inOrder(() => this.#admit(turn));
    });
    return turn;
  }

  /**
   * Strictly, a block for each submission; otherwise those that arrive in the same turn of the event loop share one, as
   * far as the pool has room for them.
   */
  async #admit(turn: readonly Submission[]): Promise<void> {
    // Differs from algod: shared-block
    const { strict } = this.#options;
    const pooled: Submission[] = [];
    for (const submission of turn) {
      try {
        await submission.verified;
        this.#checkOpen();
        if (!strict && !this.pool.hasRoomFor(submission.members)) this.#confirm(pooled.splice(0));
        this.pool.add(submission.members);
        pooled.push(submission);
      } catch (error) {
        submission.refuse(error);
      }
      if (strict) this.#confirm(pooled.splice(0));
    }
    this.#confirm(pooled);
  }

  /** Answers submissions that are in the pool, with instant blocks when they are in one. */
  #confirm(pooled: readonly Submission[]): void {
    if (pooled.length === 0) return;
    try {
      this.#makeInstantBlocks();
      for (const submission of pooled) this.#answer(submission);
    } catch (error) {
      for (const { refuse } of pooled) refuse(error);
    }
  }

  /** A group that passed may still fall out of the pool, when a block that holds no transaction comes before its own. */
  #answer({ members, accept, refuse }: Submission): void {
    const [first] = members;
    const error = first === undefined ? '' : (this.pool.find(first.txId)?.error ?? '');
    if (error === '') accept();
    else refuse(new Refusal(`TransactionPool.Remember: ${error}`));
  }

  /** One block, or as many as what is in the pool needs. */
  #makeInstantBlocks(): void {
    if (this.#options.blocks !== 'instant') return;
    while (this.pool.size > 0) this.makeBlock();
  }

  /** Takes groups from the backlog into the pool. */
  async #processAsync(groups: readonly (readonly SignedTransaction[])[]): Promise<void> {
    const arrivals = groups.map((group) => this.#arrival(group.map(groupMember)));
    return this.#inOrder(async () => {
      for (const arrival of arrivals) await this.#admitAsync(arrival);
    });
  }

  async #admitAsync(arrival: Arrival): Promise<void> {
    try {
      await arrival.verified;
      if (this.#closed) return;
      this.pool.add(arrival.members);
    } catch (error) {
      this.#dropped++;
      // algod drops a group that is refused without a word; anything else is a fault of this node.
      if (!(error instanceof DevnodeError)) console.error('a group on the backlog was lost:', error);
      return;
    }
    this.#accepted++;
    // Differs from algod: async-block
    if (!this.#options.strict) unattended(() => this.#makeInstantBlocks());
  }
}

/** Makes blocks that nobody waits for. Where that fails, what is in the pool goes into a later one. */
function unattended(makeBlocks: () => void): void {
  try {
    makeBlocks();
  } catch (error) {
    console.error('no block could be made:', error);
  }
}
