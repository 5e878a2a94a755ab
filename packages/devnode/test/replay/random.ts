/** The exchanges of the recordings of random requests and random programs, which `replay-random.ci.test.ts` replays. */
export const RANDOM_SCENARIOS = {
  payments: { 'random-101': 1065, 'random-102': 1054 },
  programs: {
    'prog-fuzz-bytes': 163,
    'prog-fuzz-mutated': 93,
    'prog-fuzz-ops': 163,
    'prog-randflow': 73,
    'prog-random-0': 213,
  },
} as const;
