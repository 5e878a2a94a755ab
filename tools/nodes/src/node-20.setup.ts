// What tests use and Node 20 lacks. What a package lacks there is a bug of the package.

Promise.withResolvers ??= function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let settle: Omit<PromiseWithResolvers<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new Error('a promise calls back at once');
  return { promise, ...settle };
};

// Tests start programs in TypeScript with it.
process.execPath = process.env['NODE_WITH_TYPESCRIPT'] ?? process.execPath;
