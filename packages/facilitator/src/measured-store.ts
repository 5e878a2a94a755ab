import type { Metrics } from './metrics.ts';
import type { SettlementStore } from './settlement-store.ts';

/** The same store, whose calls are timed and whose failures are counted. */
export function measuredStore(store: SettlementStore, metrics: Metrics): SettlementStore {
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
