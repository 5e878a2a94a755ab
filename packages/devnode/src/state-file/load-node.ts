import { readChanges, readLeases } from './parts.ts';
import type { PastRound } from '../ledger/state/online-accounts.ts';
import { sameBytes } from '../codec/bytes.ts';
import { DevnodeError } from '../errors.ts';
import { parseGenesis, type Genesis } from '../genesis/genesis.ts';
import { Chain, type KeptBlock, type Lookback } from '../ledger/chain.ts';
import { StateDelta, type State } from '../ledger/state/state.ts';
import { WALL_CLOCK } from '../production/dev-clock.ts';
import type { NodeState } from './dump-node.ts';
import { FrameReader, type ByteSource } from './frames.ts';
import {
  parseRecord,
  type BlockRecord,
  type CompleteRecord,
  type HeadRecord,
  type PastRecord,
  type StateRecord,
} from './record.ts';

/** The state after a block, without the blocks before it. */
export interface Snapshot {
  readonly round: bigint;
  readonly hash: Uint8Array;
  /** Parts of the state. */
  readonly changes: readonly Uint8Array[];
  readonly past: readonly PastRecord[];
}

export interface LoadOptions {
  /** How much of the past is kept from now on. */
  readonly lookback: Lookback;
  /** The genesis that the file must have. Absent: any. */
  readonly genesis?: Genesis | undefined;
}

/**
 * Loads the node that a state file holds.
 * @throws DevnodeError `invalid_state_file` for any other file, or one of another chain; `damaged_state_file`
 */
export function loadNode(source: ByteSource, options: LoadOptions): NodeState {
  const reader = new FrameReader(source);
  const node = restoreNode(source.name, reader, options);
  if (reader.isCut) throw damaged(source.name, `it ends within a record, at byte ${reader.end}`);
  return node;
}

/**
 * Reads a state file up to its last whole frame. The part of the state in `snapshot` is not read from the file again.
 * @throws DevnodeError as `loadNode`
 */
export function restoreNode(
  name: string,
  reader: FrameReader,
  { snapshot, ...options }: LoadOptions & { readonly snapshot?: Snapshot | undefined },
): NodeState {
  const head = readHead(name, reader);
  const chain = new Chain(genesisOf(name, head, options.genesis), { overlay: undefined, lookback: options.lookback });
  const restoration = new Restoration(name, { chain, oldest: head.oldest, snapshot });
  chain.restore(restoration.blocks(reader), head.oldest);
  restoration.checkComplete();
  return { chain, clock: restoration.clock };
}

/** Reads a state without its blocks from a file of `snapshotRecords`. */
export function loadSnapshot(source: ByteSource): Snapshot {
  const reader = new FrameReader(source);
  const changes: Uint8Array[] = [];
  const past: PastRecord[] = [];
  for (const record of recordsOf(reader)) {
    if (record.changes !== undefined) changes.push(record.changes);
    if (record.past !== undefined) past.push(record.past);
    if (record.complete !== undefined) return { ...record.complete, changes, past };
  }
  throw damaged(source.name, 'it is not complete');
}

function* recordsOf(reader: FrameReader): Generator<StateRecord> {
  for (let body = reader.next(); body !== undefined; body = reader.next()) yield parseRecord(body);
}

function readHead(name: string, reader: FrameReader): HeadRecord {
  const [record] = recordsOf(reader);
  if (record?.head === undefined) throw damaged(name, 'it does not name its chain');
  return record.head;
}

function genesisOf(name: string, head: HeadRecord, expected: Genesis | undefined): Genesis {
  const genesis = { ...parseGenesis(Buffer.from(head.genesis).toString()), hash: head.genesisHash };
  if (expected === undefined || (sameBytes(expected.hash, genesis.hash) && expected.id === genesis.id)) return genesis;
  throw new DevnodeError(
    'invalid_state_file',
    `${name} is of the chain ${genesis.id}, not of the ${expected.id} asked for`,
  );
}

interface Beginning {
  readonly chain: Chain;
  /** The round of the first block in the file; 0: all since genesis are in it. */
  readonly oldest: bigint;
  readonly snapshot: Snapshot | undefined;
}

/** A chain that is being restored, record by record. */
class Restoration {
  clock = WALL_CLOCK;
  readonly #name: string;
  readonly #chain: Chain;
  readonly #snapshot: Snapshot | undefined;
  /** The snapshot, until its block has been read. */
  #unmet: Snapshot | undefined;
  /** The state with which the file begins, until it is complete. */
  #beginning: StateDelta | undefined;
  readonly #past: PastRecord[];
  #round: bigint;

  constructor(name: string, { chain, oldest, snapshot }: Beginning) {
    this.#name = name;
    this.#chain = chain;
    this.#snapshot = snapshot;
    this.#unmet = snapshot;
    this.#round = oldest === 0n ? 0n : oldest - 1n;
    this.#beginning = chain.state.cleared();
    this.#past = [...(snapshot?.past ?? [])];
    for (const part of snapshot?.changes ?? []) readChanges(part, this.#beginning);
  }

  /** Gives the blocks of the file; applies its other records on the way. */
  *blocks(reader: FrameReader): Generator<KeptBlock> {
    for (const record of recordsOf(reader)) {
      if (record.block !== undefined) yield this.#block(record.block);
      if (record.changes !== undefined) this.#change([record.changes]);
      if (record.past !== undefined && this.#snapshot === undefined) this.#past.push(record.past);
      if (record.clock !== undefined) this.clock = record.clock;
      if (record.complete !== undefined) this.#complete(record.complete);
    }
  }

  /** @throws DevnodeError `damaged_state_file` */
  checkComplete(): void {
    if (this.#beginning !== undefined) throw damaged(this.#name, 'it is not complete');
    if (this.#unmet !== undefined) throw this.#otherBlock(this.#unmet.round);
    if (this.#chain.latest.round !== this.#round) throw damaged(this.#name, `its last block is not ${this.#round}`);
  }

  #complete(record: CompleteRecord): void {
    const { state } = this.#chain;
    if (this.#beginning !== undefined) {
      state.apply(this.#beginning);
      state.online.restore(this.#past.map((past) => readPast(past, state)));
    }
    this.#beginning = undefined;
    this.#checkBlock(record);
  }

  #block({ hash, header, txIds, transactions = [], changes = [], leases = [] }: BlockRecord): KeptBlock {
    this.#round++;
    this.clock = { ...this.clock, next: undefined };
    // Checked now, because by the end of the file the chain may have dropped the block.
    if (this.#round === this.#unmet?.round && sameBytes(hash, this.#unmet.hash)) this.#unmet = undefined;
    const ids = transactions.map((encoded, index) => ({ txId: txIds.subarray(index * 32, (index + 1) * 32), encoded }));
    this.#change(changes);
    return { parts: { hash, header, transactions: ids }, leases: readLeases(leases) };
  }

  /** Makes the changes that are not in the snapshot. */
  #change(parts: readonly Uint8Array[]): void {
    if (this.#snapshot !== undefined && this.#round <= this.#snapshot.round) return;
    const { state } = this.#chain;
    const delta = this.#beginning ?? new StateDelta(state);
    for (const part of parts) readChanges(part, delta);
    if (this.#beginning === undefined) state.advance(this.#round, delta);
  }

  #checkBlock({ round, hash }: { readonly round: bigint; readonly hash: Uint8Array }): void {
    const found = this.#chain.blocks.hash(round);
    if (found !== undefined && sameBytes(found, hash)) return;
    throw this.#otherBlock(round);
  }

  #otherBlock(round: bigint): DevnodeError {
    return damaged(this.#name, `block ${round} is missing or another one`);
  }
}

function damaged(name: string, problem: string): DevnodeError {
  return new DevnodeError('damaged_state_file', `${name} is damaged: ${problem}`);
}

/**
 * Reads the online accounts of one of the last rounds.
 * @throws DevnodeError `damaged_state_file`
 */
function readPast({ round, before = [] }: PastRecord, state: State): PastRound {
  const found = new StateDelta(state);
  for (const part of before) readChanges(part, found);
  return { round, before: new Map(found.tables.accounts.entries()) };
}
