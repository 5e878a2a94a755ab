import { encodeChanges, encodeLeases } from './parts.ts';
import type { PastRound } from '../ledger/state/online-accounts.ts';
import type { Chain, KeptBlock } from '../ledger/chain.ts';
import type { ClockSetting } from '../production/dev-clock.ts';
import { FrameWriter } from './frames.ts';
import { encodeRecord, type StateRecord } from './record.ts';

/** The contents of a state file: a chain, and the setting of its clock. */
export interface NodeState {
  readonly chain: Chain;
  readonly clock: ClockSetting;
}

/** The bytes of a state file, piece by piece. */
export function* stateFile(records: Iterable<StateRecord>, writer = new FrameWriter()): Generator<Uint8Array> {
  yield FrameWriter.firstLine;
  for (const record of records) yield writer.frame(encodeRecord(record));
}

/** All records of a node: state, the blocks that are kept, leases, clock. */
export function* nodeRecords(node: NodeState): Generator<StateRecord> {
  yield* stateRecords(node.chain);
  const { blocks, tail } = node.chain;
  for (let round = blocks.oldest || 1n; round <= node.chain.latest.round; round++) {
    const parts = blocks.parts(round);
    if (parts !== undefined) yield blockRecord({ parts, leases: tail.leasesOf(round) }, []);
  }
  yield* endRecords(node);
}

/** The same without the blocks, for a file beside one that has them. */
export function* snapshotRecords(node: NodeState): Generator<StateRecord> {
  yield* stateRecords(node.chain);
  yield* endRecords(node);
}

/** The record of a block; `changes` are parts by `encodeChanges`. */
export function blockRecord(
  { parts: { hash, header, transactions }, leases }: KeptBlock,
  changes: Iterable<Uint8Array>,
): StateRecord {
  return {
    block: {
      hash,
      header,
      txIds: Buffer.concat(transactions.map(({ txId }) => txId)),
      transactions: transactions.map(({ encoded }) => encoded),
      changes: [...changes],
      leases: [...encodeLeases(leases)],
    },
  };
}

function* stateRecords({ genesis, state, blocks: { oldest } }: Chain): Generator<StateRecord> {
  yield { head: { genesis: Buffer.from(genesis.json), genesisHash: genesis.hash, oldest } };
  for (const changes of encodeChanges(state.tables)) yield { changes };
  yield* pastRecords(state.online.past);
}

function* endRecords({ chain, clock }: NodeState): Generator<StateRecord> {
  yield { clock };
  const { round } = chain.latest;
  yield { complete: { round, hash: chain.blocks.hash(round) ?? new Uint8Array(32) } };
}

/** The online accounts of the last rounds, a record for each that changed them. */
function* pastRecords(past: readonly PastRound[]): Generator<StateRecord> {
  for (const { round, before } of past) {
    yield { past: { round, before: [...encodeChanges({ accounts: { entries: () => before } })] } };
  }
}
