import { isX402Error, X402Error } from '@avm402/core/errors';

/** The same store, with every failure turned into `store_unavailable`: without a store nothing is settled. */
export function failClosed<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, parameters);
        } catch (cause) {
          throw isX402Error(cause) ? cause : new X402Error('store_unavailable', { cause });
        }
      };
    },
  });
}
