// Parts of Node that the tests use and Node 20 lacks. A package that needs one has a bug.

Promise.withResolvers ??= function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let settle: Omit<PromiseWithResolvers<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new Error('a promise calls back at once');
  return { promise, ...settle };
};

// Tests start TypeScript programs with it.
process.execPath = process.env['NODE_WITH_TYPESCRIPT'] ?? process.execPath;
