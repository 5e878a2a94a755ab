import { boolean, int64, uint32, uint64 } from '../codec/integer.ts';
import type { Kind, ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { nullable } from '../codec/nullable.ts';
import { requiredField, Struct } from '../codec/struct.ts';
import { byteString } from '../codec/text.ts';

/** A list that is empty, not undefined, when there is nothing in it. */
export function items<T>(item: Kind<T>): Kind<readonly T[]> {
  const kind = list(item);
  return { ...kind, zero: [], read: (source, before) => kind.read(source, before) ?? [] };
}

/** What a control changed in the ledger, in a block of its own, or in the pool. What does not apply to it is zero. */
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

/** What does not apply is zero or empty; `times` 0: all requests. */
const fault = new Struct({
  id: requiredField('id', uint32),
  route: requiredField('route', byteString),
  delayMs: requiredField('delay-ms', uint32),
  status: requiredField('status', uint32),
  lose: requiredField('lose', byteString),
  times: requiredField('times', uint64),
  /** Requests that it has struck. */
  struck: requiredField('struck', uint64),
});

/** All that controls have set and changed. */
export const devState = new Struct({
  round: requiredField('last-round', uint64),
  /** `instant`, `manual` or `interval`. */
  blocks: requiredField('blocks', byteString),
  /** Whether each submission gets a block of its own, as in algod’s dev mode. */
  strict: requiredField('strict', boolean),
  paused: requiredField('paused', boolean),
  /** Seconds by which the node's clock is ahead of the wall clock. */
  secondsAhead: requiredField('seconds-ahead', int64),
  /** Seconds between blocks, whatever time it is; undefined (in JSON null): the clock counts. */
  timestampOffset: requiredField('timestamp-offset', nullable(int64)),
  poolTransactions: requiredField('pool-transactions', uint32),
  /** The oldest first. */
  snapshots: requiredField('snapshots', items(snapshot)),
  /** Addresses. */
  impersonated: requiredField('impersonated', items(byteString)),
  faults: requiredField('faults', items(fault)),
  /** The last 1000, the oldest first. */
  changes: requiredField('changes', items(stateChange)),
});

export type StateChange = ValueOf<typeof stateChange>;
/** All that the developer controls of a node have set and changed. */
export type DevState = ValueOf<typeof devState>;
