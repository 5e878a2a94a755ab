/** The rounds from `from` to `to`, both included; empty if `to` is below `from`. */
export interface RoundWindow {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Each round that is in one of the windows, once, in ascending order. Windows may be removed meanwhile. Round 0 is left
 * out: it is the genesis, which has no transactions, and no node serves its list.
 */
export function* roundsUp(windows: ReadonlyMap<unknown, RoundWindow>): Generator<bigint> {
  let last = 0n;
  for (;;) {
    let next: bigint | undefined;
    for (const { from, to } of windows.values()) {
      const round = from > last ? from : last + 1n;
      if (round <= to && (next === undefined || round < next)) next = round;
    }
    if (next === undefined) return;
    last = next;
    yield next;
  }
}

/** Like `roundsUp`, in descending order. */
export function* roundsDown(windows: ReadonlyMap<unknown, RoundWindow>): Generator<bigint> {
  let last: bigint | undefined;
  for (;;) {
    let next = 0n;
    for (const { from, to } of windows.values()) {
      const round = last === undefined || to < last ? to : last - 1n;
      if (from <= round && round > next) next = round;
    }
    if (next === 0n) return;
    last = next;
    yield next;
  }
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
