import type { Metrics } from './metrics.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';
import { aroundCalls } from '../store-calls.ts';

/** The same store, with its calls timed and its failures counted. */
export function measuredStore(store: SettlementStore, metrics: Metrics): SettlementStore {
  for (const name of methodsOf(store)) metrics.storeMethod(name);
  return aroundCalls(store, async (call, name) => {
    const begun = performance.now();
    try {
      return await call();
    } catch (error) {
      metrics.storeFailed(name);
      throw error;
    } finally {
      metrics.storeCalled(name, performance.now() - begun);
    }
  });
}

function methodsOf(store: object): string[] {
  const own = Object.getOwnPropertyNames(store).filter((name) => typeof Reflect.get(store, name) === 'function');
  const parent: unknown = Object.getPrototypeOf(store);
  const inherited = parent instanceof Object && parent !== Object.prototype ? methodsOf(parent) : [];
  return [...own, ...inherited].filter((name) => name !== 'constructor');
}
