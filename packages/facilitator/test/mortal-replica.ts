import type { AlgodClient } from '@avm402/algorand/algod';
import { createFacilitator, type Facilitator, type FacilitatorOptions, type SettlementStore } from '../src/index.ts';

export interface MortalReplicaOptions extends Omit<FacilitatorOptions, 'networks'> {
  readonly node: { client(): AlgodClient };
  readonly store: SettlementStore;
}

/** When a process dies: just before the n-th step takes effect, or just after, when nobody hears of it any more. */
export interface Death {
  readonly step: number;
  /** Only calls of this method count. Default: all. */
  readonly of?: string;
  readonly effect: 'before' | 'after';
}

/**
 * A facilitator in a process that can be killed between any two steps. A step is a call to the store or to a node;
 * after its death no call has any effect and none returns.
 */
export class MortalReplica {
  readonly facilitator: Facilitator;
  readonly died: Promise<'died'>;
  #isAlive = true;
  #steps = 0;
  #death: Death | undefined;
  #sayDied: (word: 'died') => void = () => {};

  constructor({ node, store, ...options }: MortalReplicaOptions) {
    this.died = new Promise((resolve) => {
      this.#sayDied = resolve;
    });
    this.facilitator = createFacilitator({
      networks: [{ algods: [this.#mortal(node.client())] }],
      store: this.#mortal(store),
      ...options,
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Dies at once. Its timers end with it. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#sayDied('died');
    this.facilitator.close().catch(() => {});
  }

  /** Dies when it has taken some more steps. */
  dieAfter(death: Death): void {
    this.#steps = 0;
    this.#death = death;
  }

  async close(): Promise<void> {
    if (this.#isAlive) await this.facilitator.close();
  }

  #mortal<T extends object>(service: T): T {
    return new Proxy(service, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name === 'close' && this.#isAlive) return member;
        return (...parameters: unknown[]) => this.#step(String(name), () => Reflect.apply(member, target, parameters));
      },
    });
  }

  async #step(name: string, work: () => unknown): Promise<unknown> {
    const { step = Number.POSITIVE_INFINITY, of = name } = this.#death ?? {};
    if (of === name) this.#steps += 1;
    const isLast = of === name && this.#steps >= step;
    if (!this.#isAlive || (isLast && this.#death?.effect === 'before')) return this.#silence();
    const result = (async () => work())();
    if (isLast) {
      result.catch(() => {});
      return this.#silence();
    }
    const answer: unknown = await result;
    return this.#isAlive ? answer : this.#silence();
  }

  #silence(): Promise<never> {
    this.kill();
    return new Promise(() => {});
  }
}
