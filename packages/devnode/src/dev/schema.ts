import { boolean, int64, uint32, uint64 } from '../codec/integer.ts';
import type { Kind, ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { block } from '../codec/schema/block.ts';
import { stateDelta } from '../codec/schema/state-delta.ts';
import { requiredField, Struct } from '../codec/struct.ts';
import { byteString } from '../codec/text.ts';
import { nullable } from '../codec/optional.ts';

/** A list that is an empty list, not undefined, when it has no entries. */
export function items<T>(item: Kind<T>): Kind<readonly T[]> {
  const kind = list(item);
  return { ...kind, zero: [], read: (source, before) => kind.read(source, before) ?? [] };
}

/** A control's change to the ledger, in a separate block, or to the pool. Fields that do not apply are zero. */
export const stateChange = new Struct({
  round: requiredField('round', uint64),
  /** `fund`, `deal`, `auth-address`, `freeze` or `drop`. */
  control: requiredField('control', byteString),
  address: requiredField('address', byteString),
  assetId: requiredField('asset-id', uint64),
  /** µAlgo or units given. */
  amount: requiredField('amount', uint64),
  authAddress: requiredField('auth-address', byteString),
  frozen: requiredField('frozen', boolean),
  txId: requiredField('txid', byteString),
});

const snapshot = new Struct({ id: requiredField('id', uint32), round: requiredField('round', uint64) });

/** Fields that do not apply are zero or empty; `times` 0 means all requests. */
const fault = new Struct({
  id: requiredField('id', uint32),
  route: requiredField('route', byteString),
  delayMs: requiredField('delay-ms', uint32),
  status: requiredField('status', uint32),
  lose: requiredField('lose', byteString),
  times: requiredField('times', uint64),
  /** The number of requests that it has struck. */
  struck: requiredField('struck', uint64),
});

/** Everything that controls have set and changed. */
export const devState = new Struct({
  round: requiredField('last-round', uint64),
  /** `instant`, `manual` or `interval`. */
  blocks: requiredField('blocks', byteString),
  /** Whether each submission gets a separate block, as in algod’s dev mode. */
  strict: requiredField('strict', boolean),
  paused: requiredField('paused', boolean),
  /** Seconds by which the node's clock is ahead of the wall clock. */
  secondsAhead: requiredField('seconds-ahead', int64),
  /** Fixed seconds between blocks; undefined (in JSON null): blocks follow the clock. */
  timestampOffset: requiredField('timestamp-offset', nullable(int64)),
  poolTransactions: requiredField('pool-transactions', uint32),
  /** Oldest first. */
  snapshots: requiredField('snapshots', items(snapshot)),
  /** Addresses. */
  impersonated: requiredField('impersonated', items(byteString)),
  faults: requiredField('faults', items(fault)),
  /** The last 1000, oldest first. */
  changes: requiredField('changes', items(stateChange)),
});

/** The event of a new block: the block, and its changes. */
export const blockEvent = new Struct({
  round: requiredField('round', uint64),
  block: requiredField('block', block),
  delta: requiredField('delta', stateDelta),
});

/** The event of a chain that was replaced, with its latest round. */
export const jumpEvent = new Struct({ round: requiredField('round', uint64) });

export type StateChange = ValueOf<typeof stateChange>;
/** Everything that the developer controls of a node have set and changed. */
export type DevState = ValueOf<typeof devState>;
