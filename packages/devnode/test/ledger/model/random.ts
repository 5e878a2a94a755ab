// Random choices that a seed repeats.

export interface Random {
  /** A number from 0 to below `end`. */
  below(end: number): number;
  /** True so many times in a hundred. */
  chance(percent: number): boolean;
  of<Item>(items: readonly Item[]): Item;
  /** A list of up to so many. */
  upTo<Item>(count: number, make: () => Item): Item[];
}

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    chance: (percent) => below(100) < percent,
    of(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('a choice from nothing');
      return item;
    },
    upTo: (count, make) => Array.from({ length: below(count + 1) }, make),
  };
}
