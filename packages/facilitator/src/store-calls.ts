import { isX402Error, X402Error } from '@avm402/core/errors';

/** What is done around each call of a store: it makes the call, whose method has this name, and resolves as it does. */
type AroundCall = (call: () => unknown, name: string) => Promise<unknown>;

/** The same store, with something done around each call of its methods. */
export function aroundCalls<Store extends object>(store: Store, around: AroundCall): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) => around(() => Reflect.apply(member, target, parameters), String(name));
    },
  });
}

/** The same store, with every failure turned into `store_unavailable`: without a store nothing is settled. */
export function failClosed<Store extends object>(store: Store): Store {
  return aroundCalls(store, async (call) => {
    try {
      return await call();
    } catch (cause) {
      throw isX402Error(cause) ? cause : new X402Error('store_unavailable', { cause });
    }
  });
}
