import type { Redemption, RedemptionStore } from '../../src/index.ts';

/** A handle on a store whose process stands still before it writes such a row. */
export function stoppedBefore(store: RedemptionStore, isIt: (next: Redemption) => boolean) {
  const [stop, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const put: RedemptionStore['put'] = async (next, previous) => {
    if (isIt(next)) {
      stop.resolve();
      await go.promise;
    }
    return store.put(next, previous);
  };
  const handle = new Proxy(store, { get: (of, name) => (name === 'put' ? put : memberOf(of, name)) });
  return { store: handle, isStopped: stop.promise, goOn: go.resolve };
}

/** A handle on a store that tells when somebody looks at all that is at risk. */
export function countingSweeps(store: RedemptionStore, onSweep: () => void): RedemptionStore {
  const { risks } = store;
  if (risks === undefined) throw new Error('the store keeps nothing at risk');
  const watched = new Proxy(risks, {
    get(of, name) {
      if (name === 'open') onSweep();
      return memberOf(of, name);
    },
  });
  return new Proxy(store, { get: (of, name) => (name === 'risks' ? watched : memberOf(of, name)) });
}

function memberOf(of: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(of, name);
  return typeof member === 'function' ? member.bind(of) : member;
}

/** A handle on a store that throws once its process is dead. */
export function dyingHandle<T extends object>(store: T, isDead: () => boolean): T {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) return dyingHandle(member, isDead);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (isDead()) throw new Error('the process is dead');
        return member.apply(target, args);
      };
    },
  });
}
