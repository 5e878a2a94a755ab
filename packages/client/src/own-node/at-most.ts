/** Runs work when it is its turn. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most so many pieces of work at a time; the others wait in order. */
export function atMost(count: number): Turns {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
