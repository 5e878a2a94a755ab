import { DevClock } from '../block/dev-clock.ts';
import { decodeGroup } from '../codec/decode-group.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { StateDelta } from '../ledger/state.ts';
import type { BlockProduction, NodeCounters, SubmitOptions } from '../node.ts';
import { groupMember, idText } from '../verify/member.ts';
import { pqComplianceProblem } from '../verify/pq-compliance.ts';
import { Backlog } from './backlog.ts';
import { Pool } from './pool.ts';

export interface ProducerOptions {
  readonly blocks: BlockProduction;
  /** Exactly algod's dev mode. */
  readonly strict: boolean;
  readonly txPoolSize: number;
  readonly backlogSize: number;
  readonly now: () => number;
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
  readonly #interval: NodeJS.Timeout | undefined;
  #sharedBlock: Promise<void> | undefined;
  #accepted = 0;
  #refused = 0;
  #dropped = 0;

  constructor(chain: Chain, options: ProducerOptions) {
    const { blocks, now } = options;
    this.#chain = chain;
    this.#options = options;
    this.pool = new Pool(chain, { maxTransactions: options.txPoolSize });
    this.clock = new DevClock({ now, devMode: chain.genesis.devMode });
    this.#backlog = new Backlog({ capacity: options.backlogSize, process: (group) => this.#processAsync(group) });
    this.#interval = typeof blocks === 'object' ? setInterval(() => this.makeBlock(), blocks.everyMs) : undefined;
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
      this.pool.add(members);
      this.#accepted++;
      const [first] = members;
      if (this.#options.blocks === 'instant') await this.#instantBlock();
      return { txId: first === undefined ? '' : idText(first.txId) };
    } catch (error) {
      this.#refused++;
      throw error;
    }
  }

  /** Puts a group on the backlog. */
  submitAsync(bytes: Uint8Array, options: SubmitOptions): void {
    this.#backlog.add(this.#decode(bytes, options));
  }

  /** Makes a block of nothing but changes that no transaction makes. Throws what these refuse. */
  makeBlockWith(change: (state: StateDelta) => void): void {
    const block = this.#chain.startBlock();
    change(block.state);
    this.#chain.append(block, this.clock.read());
    this.pool.rebase();
    this.onBlock(block.round);
  }

  /** Makes a block of what is in the pool. */
  makeBlock(): void {
    const block = this.pool.takeBlock();
    this.#chain.append(block, this.clock.read());
    this.pool.blockAppended();
    this.onBlock(block.round);
  }

  close(): void {
    clearInterval(this.#interval);
    this.#backlog.close();
  }

  #decode(bytes: Uint8Array, { skipPqAddressCheck = false, bodyCut = false }: SubmitOptions): SignedTransaction[] {
    // A copy: what is kept of a group would otherwise keep the memory of the request around it.
    const group = decodeGroup(Uint8Array.from(bytes), { maxSize: this.#chain.parameters.maxGroupSize, cut: bodyCut });
    const problem = skipPqAddressCheck ? undefined : pqComplianceProblem(group);
    if (problem !== undefined) throw new DevnodeError('refused', problem);
    return group;
  }

  /** Strictly, a block for each submission; otherwise those that arrive in the same turn of the event loop share one. */
  #instantBlock(): Promise<void> {
    // Differs from algod: shared-block
    if (this.#options.strict) {
      this.#makeBlocks();
      return Promise.resolve();
    }
    this.#sharedBlock ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#sharedBlock = undefined;
        try {
          this.#makeBlocks();
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new DevnodeError('internal', String(error), { status: 500 }));
        }
      });
    });
    return this.#sharedBlock;
  }

  /** One block, or as many as what is in the pool needs. */
  #makeBlocks(): void {
    while (this.pool.size > 0) this.makeBlock();
  }

  #processAsync(group: readonly SignedTransaction[]): void {
    try {
      this.pool.add(group.map(groupMember));
    } catch (error) {
      this.#dropped++;
      // algod drops a group that is refused without a word; anything else is a fault of this node.
      if (!(error instanceof DevnodeError)) console.error('a group on the backlog was lost:', error);
      return;
    }
    this.#accepted++;
    // Differs from algod: async-block
    if (this.#options.blocks === 'instant' && !this.#options.strict) this.#makeBlocks();
  }
}
