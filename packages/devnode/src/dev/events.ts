import { document } from '../codec/document.ts';
import type { Chain } from '../ledger/chain.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import { deltaRecord } from '../queries/state-delta.ts';
import { blockEvent, jumpEvent } from './schema.ts';

/** A change of the chain. */
export interface DevEvent {
  /** `block`: a new block; `jump`: the chain was replaced, by a return to a snapshot or by a state file. */
  readonly kind: 'block' | 'jump';
  /** The latest round. */
  readonly round: bigint;
  /** JSON: `{ round, block, delta }`, the last two as in algod's block and delta routes; for a jump `{ round }`. */
  readonly json: string;
}

/**
 * The callbacks that receive events. An error that one throws goes to the node's `onInternalError`, or over HTTP to the
 * client's `onListenerError`.
 */
export interface EventListener {
  readonly onEvent: (event: DevEvent) => void;
  /** Called when there will be no more events. */
  readonly onEnd: () => void;
}

export interface EventsOptions {
  readonly blocks: BlockProducer;
  readonly chain: Chain;
  /** Called with an error that a listener throws. The others are told all the same. */
  readonly onListenerError: (error: unknown) => void;
}

/** Reports changes of the chain to listeners outside the node. */
export class Events {
  readonly #listeners = new Set<EventListener>();
  readonly #onListenerError: EventsOptions['onListenerError'];
  /** The event that is being told, and those that its listeners caused meanwhile. */
  readonly #untold: DevEvent[] = [];

  constructor({ blocks, chain, onListenerError }: EventsOptions) {
    this.#onListenerError = onListenerError;
    blocks.onBlock(({ round, delta }) => {
      const block = this.#listeners.size > 0 ? chain.blocks.block(round) : undefined;
      if (block === undefined) return;
      const json = document(blockEvent, { round, block, delta: deltaRecord(delta, chain.state) }).toJson();
      this.#tell({ kind: 'block', round, json });
    });
    blocks.onJump((round) => this.#tell({ kind: 'jump', round, json: document(jumpEvent, { round }).toJson() }));
  }

  /** Calls the listener with each event, until the returned function is called. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#each(({ onEnd }) => onEnd());
    this.#listeners.clear();
  }

  /** All listeners are told in the same order, also where one of them makes the next block. */
  #tell(event: DevEvent): void {
    this.#untold.push(event);
    if (this.#untold.length > 1) return;
    for (let [next] = this.#untold; next !== undefined; [next] = this.#untold) {
      const told = next;
      this.#each(({ onEvent }) => onEvent(told));
      this.#untold.shift();
    }
  }

  #each(call: (listener: EventListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
