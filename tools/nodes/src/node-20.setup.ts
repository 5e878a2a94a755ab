// Parts of Node that the tests use and Node 20 lacks. A package that needs one has a bug.

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let settle: Omit<PromiseWithResolvers<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new Error('a promise calls back at once');
  return { promise, ...settle };
}
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });

// Tests start TypeScript programs with it.
process.execPath = process.env['NODE_WITH_TYPESCRIPT'] ?? process.execPath;
