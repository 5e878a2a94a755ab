import { decodeGroup } from '../codec/decode-group.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { DevnodeError, refused } from '../errors.ts';
import type { Pool } from '../pool/pool.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import { groupMember, idText, type GroupMember } from '../transaction/member.ts';
import { Refusal } from '../transaction/refusal.ts';
import { pqComplianceProblem } from '../verify/pq-compliance.ts';
import { type VerifyContext, verifyGroup } from '../verify/verify-group.ts';
import { Backlog } from './backlog.ts';
import { refuseUnjudgeable } from './unjudgeable.ts';

export interface SubmitOptions {
  /** algod's query parameter `skip-pq-address-check`. Default false. */
  readonly skipPqAddressCheck?: boolean;
  /**
   * Whether the body went on after these bytes, beyond the limit of 10,000,000. If so, a decoder that reaches their end
   * refuses with `msgpack decode error [pos 9961488]: code=413, message=Request Entity Too Large`. Default false.
   */
  readonly bodyCut?: boolean;
}

export interface SubmissionsOptions {
  readonly pool: Pool;
  readonly blocks: BlockProducer;
  readonly verification: VerifyContext;
  /** Gives members that need no signature the authorizer of their account. */
  readonly authorize: (group: readonly GroupMember[]) => readonly GroupMember[];
  /** Exactly algod's dev mode: a block per synchronous group; asynchronous groups wait for the next. */
  readonly strict: boolean;
  /** How many groups may wait for the asynchronous worker. */
  readonly backlogSize: number;
  /** Called with a fault in processing groups that no caller waits for. */
  readonly onInternalError: (error: unknown) => void;
}

/** Counts of groups since the node started. */
export interface SubmissionCounters {
  readonly groupsAccepted: number;
  readonly groupsRefused: number;
  /** Groups submitted asynchronously that turned out invalid. */
  readonly backlogDropped: number;
  readonly backlogRefused: number;
  readonly backlogGroups: number;
}

/** A group whose signatures are being verified. */
interface Arrival {
  readonly members: readonly GroupMember[];
  /** How often groups had been forgotten before. */
  readonly era: number;
  /** Rejects with the reason when the group is refused. */
  readonly verified: Promise<void>;
}

/** A group whose submitter waits for the outcome. */
interface Submission extends Arrival {
  readonly accept: () => void;
  readonly refuse: (refusal: unknown) => void;
}

/** Accepts groups: decodes and verifies them, and puts them into the pool in order of arrival. */
export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #backlog: Backlog;
  /** The submissions of this turn of the event loop. */
  #turn: Submission[] | undefined;
  /** Groups enter the pool in order of arrival, however long their signatures take. */
  #order: Promise<void> = Promise.resolve();
  /** How often the groups that had not been judged were forgotten. */
  #era = 0;
  #accepted = 0;
  #refused = 0;
  #dropped = 0;

  constructor(options: SubmissionsOptions) {
    this.#options = options;
    this.#backlog = new Backlog({
      capacity: options.backlogSize,
      process: (groups) => this.#processAsync(groups),
      onError: options.onInternalError,
    });
  }

  get counters(): SubmissionCounters {
    return {
      groupsAccepted: this.#accepted,
      groupsRefused: this.#refused,
      backlogDropped: this.#dropped,
      backlogRefused: this.#backlog.refused,
      backlogGroups: this.#backlog.size,
    };
  }

  /**
   * Submits a group: concatenated signed transactions. Resolves when it is in a block (instant blocks) or in the pool.
   * @throws DevnodeError `refused` or `unsupported` (400), with algod's text where algod has one; `shutting_down` (500)
   */
  async submit(bytes: Uint8Array, options: SubmitOptions = {}): Promise<{ readonly txId: string }> {
    try {
      const members = this.#members(this.#decode(bytes, options));
      await this.#admitted(members);
      this.#accepted++;
      const [first] = members;
      return { txId: first === undefined ? '' : idText(first.txId) };
    } catch (error) {
      this.#refused++;
      throw error;
    }
  }

  /**
   * Puts a group on the backlog. If it turns out invalid, it is dropped silently.
   * @throws DevnodeError `refused` (400) if it is malformed, `unsupported` (400) if this node can't judge it,
   * `backlog_full` (503), `shutting_down` (500)
   */
  submitAsync(bytes: Uint8Array, options: SubmitOptions = {}): void {
    const group = this.#decode(bytes, options);
    refuseUnjudgeable(group, this.#options.verification);
    this.#backlog.add(group);
  }

  /** Forgets the groups that have not been judged yet, also those whose signatures are being verified. */
  clearBacklog(): void {
    this.#backlog.clear();
    this.#era++;
  }

  close(): void {
    this.#backlog.close();
  }

  #decode(bytes: Uint8Array, { skipPqAddressCheck = false, bodyCut = false }: SubmitOptions): SignedTransaction[] {
    const { blocks, verification } = this.#options;
    blocks.checkOpen();
    const group = decodeGroup(bytes, { maxSize: verification.parameters.maxGroupSize, cut: bodyCut });
    const problem = skipPqAddressCheck ? undefined : pqComplianceProblem(group);
    if (problem !== undefined) throw refused(problem);
    return group;
  }

  #members(group: readonly SignedTransaction[]): readonly GroupMember[] {
    return this.#options.authorize(group.map(groupMember));
  }

  /** Runs work after all earlier work has ended. A failure does not stop later work. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#order.then(work);
    this.#order = done.catch(() => {});
    return done;
  }

  #arrival(members: readonly GroupMember[]): Arrival {
    const verified = verifyGroup(members, this.#options.verification);
    // The refusal is handled when it is this group's turn.
    verified.catch(() => {});
    return { members, era: this.#era, verified };
  }

  /** @throws DevnodeError `shutting_down`; `refused` if the chain was put back since the group arrived */
  #checkCurrent({ era }: Arrival): void {
    this.#options.blocks.checkOpen();
    if (era !== this.#era) throw refused('the chain was put back before the group was judged');
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
   * In strict mode, each submission gets a block. Otherwise those that arrive in the same turn of the event loop share
   * one, as far as the pool has room for them.
   */
  async #admit(turn: readonly Submission[]): Promise<void> {
    // Differs from algod: shared-block
    const { strict, pool, blocks } = this.#options;
    const pooled: Submission[] = [];
    for (const submission of turn) {
      try {
        await submission.verified;
        this.#checkCurrent(submission);
        if (!strict) blocks.noteArrival(submission.members);
        if (!strict && !pool.hasRoomFor(submission.members)) this.#confirm(pooled.splice(0));
        pool.add(submission.members);
        pooled.push(submission);
      } catch (error) {
        submission.refuse(error);
      }
      if (strict) this.#confirm(pooled.splice(0));
    }
    this.#confirm(pooled);
  }

  /** Answers submissions that are in the pool; with instant blocks, once they are in a block. */
  #confirm(pooled: readonly Submission[]): void {
    if (pooled.length === 0) return;
    this.#options.blocks.settle((error) => {
      for (const submission of pooled) {
        if (error === undefined) this.#answer(submission);
        else submission.refuse(error);
      }
    });
  }

  /** A group that passed may still fall out of the pool: a control makes a block before its own, or puts the chain back. */
  #answer({ members, accept, refuse }: Submission): void {
    const [first] = members;
    const error = first === undefined ? '' : this.#options.pool.absenceOf(first);
    if (error === '') accept();
    else refuse(new Refusal(`TransactionPool.Remember: ${error}`));
  }

  /** Takes groups from the backlog into the pool. */
  async #processAsync(groups: readonly (readonly SignedTransaction[])[]): Promise<void> {
    const arrivals = groups.map((group) => this.#arrival(this.#members(group)));
    return this.#inOrder(async () => {
      for (const arrival of arrivals) await this.#admitAsync(arrival);
    });
  }

  async #admitAsync(arrival: Arrival): Promise<void> {
    const { members } = arrival;
    const { strict, pool, blocks, onInternalError } = this.#options;
    try {
      await arrival.verified;
      this.#checkCurrent(arrival);
      if (!strict) blocks.noteArrival(members);
      pool.add(members);
    } catch (error) {
      this.#dropped++;
      // algod silently drops a group that is refused; any other error is a fault of this node.
      if (!(error instanceof DevnodeError)) onInternalError(error);
      return;
    }
    this.#accepted++;
    // Differs from algod: async-block
    if (!strict) blocks.settleUnattended();
  }
}
