import type { EventListener } from './events.ts';
import type { Fault } from './faults.ts';
import type { DevState } from './schema.ts';

/**
 * What a developer may do with a node that no real one allows; the same in process and over HTTP. All of it is seen in
 * `state()` and undone by `reset()`. Every call can reject with a DevnodeError: `refused` or `not_found` with the reason,
 * `shutting_down`, and over HTTP `unreachable` when no node answers.
 */
export interface DevControls {
  /** Makes blocks of what is in the pool, the later ones empty; gives the last round. Default 1. */
  mine(rounds?: number): Promise<bigint>;
  /** Sets the next block's timestamp, in seconds since 1970; the node's clock goes on from there. */
  setTime(timestamp: number): Promise<void>;
  /** Moves the next block's timestamp on by some seconds, and the node's clock with it; gives that timestamp. */
  increaseTime(seconds: number): Promise<number>;
  /** Makes no more blocks but those of `mine`: what is submitted waits in the pool. */
  pause(): Promise<void>;
  /** Ends a pause; with instant blocks, what waits gets its block at once. */
  resume(): Promise<void>;
  /** Remembers chain, pool, clock and pause; gives the snapshot's id. */
  snapshot(): Promise<number>;
  /** Returns to a snapshot, which stays; those taken after it are gone. Gives the round. */
  revert(id: number): Promise<bigint>;
  /** Puts everything back as it was when the node started. */
  reset(): Promise<void>;
  /** Gives µAlgo out of nothing; gives the account's new balance in µAlgo. */
  fund(address: string, microAlgos: bigint): Promise<bigint>;
  /** Gives units of any asset, opting the account in if need be; gives what it then holds. */
  deal(address: string, assetId: bigint, amount: bigint): Promise<bigint>;
  /** Sets the key that signs for an account, as a rekey does; its own address makes it sign for itself again. */
  setAuthAddress(address: string, authAddress: string): Promise<void>;
  /** Freezes what an account holds of an asset, or with `false` thaws it, whoever the asset's freeze address is. */
  setFrozen(address: string, assetId: bigint, frozen: boolean): Promise<void>;
  /** Takes a transaction out of the pool, and its group with it, as if it had never come; gives their ids. */
  drop(txId: string): Promise<readonly string[]>;
  /** Accepts what an account sends, or simulates, without its signature. */
  impersonate(address: string): Promise<void>;
  /** Asks for the account's signature again. */
  stopImpersonating(address: string): Promise<void>;
  /** Makes requests of a route go wrong; gives the fault's id. Of several for one route, the oldest strikes. */
  addFault(fault: Fault): Promise<number>;
  /** Takes a fault away. */
  removeFault(id: number): Promise<void>;
  /**
   * Tells a listener of every block, with what it changed, and of every jump of the chain; resolves when it listens, with
   * the function that ends this. `onEnd` is called when nothing more comes, over HTTP also when the connection is lost.
   */
  listen(listener: EventListener): Promise<() => void>;
  /** All of the node's state as a file: accounts, assets, blocks, clock, pause. What waits in the pool is not in it. */
  dump(): Promise<Uint8Array>;
  /**
   * Goes on where the node was that wrote a state file, which must be of the same genesis; gives the round. Rejects with
   * `invalid_state_file` or `damaged_state_file`, over HTTP with `refused`; then the node stays as it was.
   */
  load(state: Uint8Array): Promise<bigint>;
  /** All that controls have set and changed. */
  state(): Promise<DevState>;
}
