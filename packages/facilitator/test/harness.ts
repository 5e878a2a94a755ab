import type { SettleResponse } from '@x402/core/types';
import { afterEach, beforeEach } from 'vitest';
import {
  createFacilitator,
  type Facilitator,
  type FacilitatorOptions,
  createMemorySettlementStore,
  type SettlementStore,
  type Transition,
} from '../src/index.ts';
import { ModelChain, type ModelChainOptions, ModelNode } from './model-chain.ts';
import type { ModelPayment } from './model-payment.ts';

export const KEY = 'k'.repeat(32);
export const OTHER_KEY = 'o'.repeat(32);

/** For each test a fresh model chain with one node, and facilitators on it that are closed in the end. */
export class Harness {
  chain = new ModelChain();
  node = new ModelNode(this.chain);
  store: SettlementStore = createMemorySettlementStore();
  readonly #running: Facilitator[] = [];

  constructor(options: ModelChainOptions = {}) {
    beforeEach(() => {
      this.chain = new ModelChain(options);
      this.chain.mine(10);
      this.node = new ModelNode(this.chain);
      this.store = createMemorySettlementStore();
    });
    afterEach(async () => {
      await Promise.all(this.#running.splice(0).map((facilitator) => facilitator.close()));
    });
  }

  create(options: Partial<FacilitatorOptions> = {}): Facilitator {
    const facilitator = createFacilitator({
      networks: [{ algods: [this.node.client()] }],
      store: this.store,
      ...options,
    });
    this.#running.push(facilitator);
    return facilitator;
  }

  /** How often the node was asked for something. */
  calls(method: string): number {
    return this.node.calls[method] ?? 0;
  }
}

export function settle(
  facilitator: Facilitator,
  payment: ModelPayment,
  idempotencyKey?: string,
): Promise<SettleResponse> {
  const options = idempotencyKey === undefined ? {} : { idempotencyKey };
  return facilitator.settle(payment.payload, payment.requirements, options);
}

/** The store, in which one step goes otherwise. */
export function withStep(
  store: SettlementStore,
  to: Transition['to'],
  step: SettlementStore['change'],
): SettlementStore {
  return withChanges(store, {
    change: (txId, owner, transition) =>
      transition.to === to ? step(txId, owner, transition) : store.change(txId, owner, transition),
  });
}

/** The store, with some methods replaced. The rest keeps its `this`. */
export function withChanges(store: SettlementStore, changes: Partial<SettlementStore>): SettlementStore {
  return new Proxy(store, {
    get(target, name) {
      const changed: unknown = Reflect.get(changes, name);
      if (changed !== undefined) return changed;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
