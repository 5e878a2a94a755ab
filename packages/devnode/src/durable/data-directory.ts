import { encodeChanges } from '../state-file/parts.ts';
import { join } from 'node:path';
import { DevnodeError } from '../errors.ts';
import type { AppendedBlock, Chain } from '../ledger/chain.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import type { DevClock } from '../production/dev-clock.ts';
import { blockRecord, snapshotRecords, stateFile, type NodeState } from '../state-file/dump-node.ts';
import type { LoadOptions, Snapshot } from '../state-file/load-node.ts';
import { ChainLog } from './chain-log.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { SnapshotFile } from './snapshot-file.ts';

/** Blocks between two snapshots of the state, which save a restart from repeating every change. */
const SNAPSHOT_EVERY = 10_000n;

/** Called with messages for the user: what was repaired, and what could not be done. */
export type Notice = (text: string) => void;

/** The parts of a running node that are recorded. */
export interface RecordedNode {
  readonly chain: Chain;
  readonly clock: DevClock;
  readonly blocks: BlockProducer;
}

/**
 * A directory that holds a chain. `chain.log` is a state file to which every block and every change by a developer is
 * appended. `snapshot` is the state at one of its blocks, which could also be computed from the log alone.
 */
export class DataDirectory {
  readonly #path: string;
  readonly #lock: DirectoryLock;
  readonly #notice: Notice;
  readonly #log: ChainLog;
  readonly #snapshot: SnapshotFile;
  /** The round of the last snapshot, written or not, or of the state with which the log begins. */
  #savedRound = 0n;
  #saving: Promise<void> | undefined;

  private constructor(path: string, lock: DirectoryLock, notice: Notice) {
    this.#path = path;
    this.#lock = lock;
    this.#notice = notice;
    this.#log = new ChainLog(join(path, 'chain.log'));
    this.#snapshot = new SnapshotFile(join(path, 'snapshot'));
  }

  /**
   * Locks a directory for this node, and creates it if necessary.
   * @throws DevnodeError `directory_in_use`, `invalid_options`
   */
  static async open(path: string, notice: Notice): Promise<DataDirectory> {
    return new DataDirectory(path, await lockDirectory(path), notice);
  }

  get holdsChain(): boolean {
    return this.#log.exists;
  }

  /**
   * Gives the directory's node; if it holds none, the given one.
   * @throws DevnodeError `damaged_state_file`, `invalid_state_file`; `invalid_options` for files that can't be used
   */
  begin(fresh: () => NodeState, options: LoadOptions): NodeState {
    try {
      return this.#begin(fresh, options);
    } catch (error) {
      if (!(error instanceof Error && 'errno' in error)) throw error;
      throw new DevnodeError('invalid_options', `${this.#path} can’t be used: ${error.message}`, { cause: error });
    }
  }

  #begin(fresh: () => NodeState, options: LoadOptions): NodeState {
    if (this.holdsChain) return this.#recover(options);
    if (this.#snapshot.exists) {
      throw new DevnodeError('damaged_state_file', `${this.#path} has a snapshot, but its chain.log is missing`);
    }
    const node = fresh();
    this.#rewrite(node);
    return node;
  }

  /** From now on, records the changes of the node. */
  record(node: RecordedNode): void {
    node.blocks.onBlock((appended) => this.#appended(appended, node));
    node.blocks.onJump(() => this.#jumped({ chain: node.chain, clock: node.clock.setting }));
    node.clock.onSet((setting) => this.#log.journal?.append({ clock: setting }));
  }

  /**
   * Resolves when everything that has happened so far is on the disk; undefined if it already is.
   * @throws DevnodeError `internal` once the directory can't be written
   */
  kept(): Promise<void> | undefined {
    return this.#log.journal?.kept();
  }

  /** Writes what is left, and unlocks the directory. */
  async close(): Promise<void> {
    try {
      await this.#saving;
      await this.#log.close();
    } finally {
      await this.#lock.release();
    }
  }

  #recover(options: LoadOptions): NodeState {
    const snapshot = this.#readSnapshot();
    const { node, droppedBytes } = this.#log.recover({ ...options, snapshot });
    const { round } = node.chain.latest;
    this.#savedRound = snapshot?.round ?? 0n;
    if (droppedBytes > 0) {
      this.#notice(
        `${this.#log.path}: the last write was cut off; ${droppedBytes} bytes after block ${round} are dropped`,
      );
    }
    return node;
  }

  /** The snapshot only saves time: without it, all changes are read from the log. */
  #readSnapshot(): Snapshot | undefined {
    if (!this.#snapshot.exists) return undefined;
    try {
      return this.#snapshot.read();
    } catch (error) {
      if (!(error instanceof DevnodeError)) throw error;
      this.#notice(`${error.message}; the state is read from the log instead`);
      return undefined;
    }
  }

  /** The old log's snapshot must be gone before the new log counts, which may have another block in that round. */
  #rewrite(node: NodeState): void {
    this.#log.rewrite(node, () => this.#snapshot.remove());
    this.#savedRound = node.chain.latest.round;
  }

  /** If the new log can't be written, nothing more is kept: the next block is not one of the old log's chain. */
  #jumped(node: NodeState): void {
    try {
      this.#rewrite(node);
    } catch (error) {
      this.#log.journal?.fail(error);
    }
  }

  #appended({ round, delta }: AppendedBlock, { chain, clock }: RecordedNode): void {
    const parts = chain.blocks.parts(round);
    if (parts === undefined) return;
    this.#log.journal?.append(blockRecord({ parts, leases: delta.leases }, encodeChanges(delta.changed.tables)));
    if (round < this.#savedRound + SNAPSHOT_EVERY || this.#saving !== undefined) return;
    this.#savedRound = round;
    this.#saving = this.#save({ chain, clock: clock.setting })
      .catch((error: unknown) => this.#notice(`no snapshot could be written: ${String(error)}`))
      .finally(() => (this.#saving = undefined));
  }

  /** Writes the state beside the log, once the log holds its block. */
  async #save(node: NodeState): Promise<void> {
    const { journal } = this.#log;
    const bytes = Buffer.concat([...stateFile(snapshotRecords(node))]);
    await journal?.kept();
    await this.#snapshot.replace(bytes, () => this.#log.journal !== journal);
  }
}
