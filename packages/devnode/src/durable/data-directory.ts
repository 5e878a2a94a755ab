import { join } from 'node:path';
import { DevnodeError } from '../errors.ts';
import type { AppendedBlock, Chain } from '../ledger/chain.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import type { DevClock } from '../production/dev-clock.ts';
import { encodeChanges } from '../state-file/changes.ts';
import { blockRecord, snapshotRecords, stateFile, type NodeState } from '../state-file/dump-node.ts';
import type { LoadOptions, Snapshot } from '../state-file/load-node.ts';
import { ChainLog } from './chain-log.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { SnapshotFile } from './snapshot-file.ts';

/** Blocks after which the state is written beside the log, so that a restart need not make every change again. */
const SNAPSHOT_EVERY = 10_000n;

/** Told of what was repaired or left undone, in words for whoever started the node. */
export type Notice = (text: string) => void;

/** What is written down while the node runs. */
export interface RecordedNode {
  readonly chain: Chain;
  readonly clock: DevClock;
  readonly blocks: BlockProducer;
}

/**
 * A directory that holds a chain: `chain.log` is a state file to which every block is appended, and whatever else
 * developers change; `snapshot` is the state at one of its blocks, which the log alone would give as well.
 */
export class DataDirectory {
  readonly #path: string;
  readonly #lock: DirectoryLock;
  readonly #notice: Notice;
  readonly #log: ChainLog;
  readonly #snapshot: SnapshotFile;
  /** Round of the snapshot, or of the state in which the log begins. */
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
   * Takes a directory for this node alone; it is made if need be.
   * @throws DevnodeError `directory_in_use`, `invalid_options`
   */
  static async open(path: string, notice: Notice): Promise<DataDirectory> {
    return new DataDirectory(path, await lockDirectory(path), notice);
  }

  get holdsChain(): boolean {
    return this.#log.exists;
  }

  /**
   * The node as the directory has it; if it has none, the one given.
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

  /** Writes down from now on what becomes of the node. */
  record(node: RecordedNode): void {
    node.blocks.onBlock((appended) => this.#appended(appended, node));
    node.blocks.onJump(() => this.#rewrite({ chain: node.chain, clock: node.clock.setting }));
    node.clock.onSet((setting) => this.#log.journal?.append({ clock: setting }));
  }

  /**
   * Resolves when everything that happened so far is on the disk; undefined if it is already.
   * @throws DevnodeError `internal` once the directory can't be written
   */
  kept(): Promise<void> | undefined {
    return this.#log.journal?.kept();
  }

  /** Writes what is left, and gives the directory free. */
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

  /** Only a help: without it, all changes are read from the log. */
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

  /** A snapshot of the old log must be gone before the new one counts: its round may be another one there. */
  #rewrite(node: NodeState): void {
    this.#log.rewrite(node, () => this.#snapshot.remove());
    this.#savedRound = node.chain.latest.round;
  }

  #appended({ round, delta }: AppendedBlock, { chain, clock }: RecordedNode): void {
    const parts = chain.blocks.parts(round);
    if (parts === undefined) return;
    this.#log.journal?.append(blockRecord({ parts, leases: delta.leases }, encodeChanges(delta.changed.tables)));
    if (round < this.#savedRound + SNAPSHOT_EVERY || this.#saving !== undefined) return;
    this.#saving = this.#save({ chain, clock: clock.setting })
      .catch((error: unknown) => this.#notice(`no snapshot could be written: ${String(error)}`))
      .finally(() => (this.#saving = undefined));
  }

  /** Writes the state beside the log, once the log has its block. */
  async #save(node: NodeState): Promise<void> {
    const { journal } = this.#log;
    const { round } = node.chain.latest;
    const bytes = Buffer.concat([...stateFile(snapshotRecords(node))]);
    await journal?.kept();
    await this.#snapshot.replace(bytes, () => this.#log.journal !== journal);
    if (this.#log.journal === journal) this.#savedRound = round;
  }
}
