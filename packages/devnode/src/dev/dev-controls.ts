import type { EventListener } from './events.ts';
import type { Fault } from './faults.ts';
import type { DevState } from './schema.ts';

/**
 * Controls over a node that no real one allows; the same in process and over HTTP. `state()` shows all that they set
 * and change, and `reset()` undoes it. Every call can reject with a DevnodeError: `refused` or `not_found` with the
 * reason, `shutting_down`, over HTTP `unreachable` when no node answers, and in process `internal` once the node can't
 * write its data directory any more.
 */
export interface DevControls {
  /**
   * Makes blocks of what is in the pool, the later ones empty; gives the last round. Default 1. Rejects with `refused`
   * if the chain is replaced meanwhile.
   */
  mine(rounds?: number): Promise<bigint>;
  /** Sets the next block's timestamp, in seconds since 1970; the node's clock continues from it. */
  setTime(timestamp: number): Promise<void>;
  /** Moves the next block's timestamp and the node's clock forward by some seconds; gives that timestamp. */
  increaseTime(seconds: number): Promise<number>;
  /** Makes no more blocks but those of `mine`: what is submitted waits in the pool. */
  pause(): Promise<void>;
  /** Ends a pause. With instant blocks, what waits gets its block at once. */
  resume(): Promise<void>;
  /** Takes a snapshot of chain, pool, clock and pause; gives its id. */
  snapshot(): Promise<number>;
  /** Returns to a snapshot and keeps it; later ones are dropped. Gives the round. */
  revert(id: number): Promise<bigint>;
  /** Puts everything back as it was when the node started. */
  reset(): Promise<void>;
  /** Creates µAlgo in an account; gives its new balance in µAlgo. */
  fund(address: string, microAlgos: bigint): Promise<bigint>;
  /** Creates units of any asset in an account, opting it in if necessary; gives its new holding in units. */
  deal(address: string, assetId: bigint, amount: bigint): Promise<bigint>;
  /** Sets the key that signs for an account, as a rekey does. With its own address, it signs for itself again. */
  setAuthAddress(address: string, authAddress: string): Promise<void>;
  /** Freezes an account's holding of an asset, or thaws it with `false`, regardless of the asset's freeze address. */
  setFrozen(address: string, assetId: bigint, frozen: boolean): Promise<void>;
  /** Takes a transaction out of the pool, and its group with it, as if it had never come; gives their ids. */
  drop(txId: string): Promise<readonly string[]>;
  /** Accepts an account's transactions without its signature, both sent and simulated. */
  impersonate(address: string): Promise<void>;
  /** Requires the account's signature again. */
  stopImpersonating(address: string): Promise<void>;
  /** Makes requests to a route fail; gives the fault's id. If a route has several faults, the oldest one strikes. */
  addFault(fault: Fault): Promise<number>;
  /** Removes a fault. */
  removeFault(id: number): Promise<void>;
  /**
   * Calls a listener with every block, including what it changed, and with every jump of the chain. Resolves once it
   * listens, with a function that stops it. `onEnd` is called when there will be no more events; over HTTP also when
   * the connection is lost.
   */
  listen(listener: EventListener): Promise<() => void>;
  /** Writes the node's state as a file: accounts, assets, blocks, clock, pause. The pool is not in it. */
  dump(): Promise<Uint8Array>;
  /**
   * Continues from the state in a state file, which must have the same genesis; gives the round. Rejects with
   * `invalid_state_file` or `damaged_state_file`, over HTTP with `refused`; the node is then unchanged.
   */
  load(state: Uint8Array): Promise<bigint>;
  /** Everything that controls have set and changed. */
  state(): Promise<DevState>;
}
