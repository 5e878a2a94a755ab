import type { Metrics } from './metrics.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';

/** The same store, with its calls timed and its failures counted. */
export function measuredStore(store: SettlementStore, metrics: Metrics): SettlementStore {
  for (const name of methodsOf(store)) metrics.storeMethod(name);
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const begun = performance.now();
        try {
          return await Reflect.apply(member, target, parameters);
        } catch (error) {
          metrics.storeFailed(String(name));
          throw error;
        } finally {
          metrics.storeCalled(String(name), performance.now() - begun);
        }
      };
    },
  });
}

function methodsOf(store: object): string[] {
  const own = Object.getOwnPropertyNames(store).filter((name) => typeof Reflect.get(store, name) === 'function');
  const parent: unknown = Object.getPrototypeOf(store);
  const inherited = parent instanceof Object && parent !== Object.prototype ? methodsOf(parent) : [];
  return [...own, ...inherited].filter((name) => name !== 'constructor');
}
