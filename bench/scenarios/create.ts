import { startDriver, type Driver } from '../harness/driver.ts';
import type { CreationJob } from '../harness/creation-job.ts';
import type { Side } from '../harness/interleave.ts';
import type { LoadResult } from '../harness/load.ts';
import { startParamsAlgod, type ParamsAlgod } from '../harness/params-algod.ts';
import { benchAccount } from '../harness/payers.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import { cpuTime, medianLatency, OURS, perSecond, STOCK_BEST, STOCK_PUBLISHED } from './sides.ts';

type Creator = Driver<CreationJob, LoadResult>;

/** Who makes payments, and how many fill a slice of about a second in a full run. */
const creators = [
  { name: OURS, file: 'our-creation.ts', environment: {}, operations: 5000 },
  { name: STOCK_PUBLISHED, file: 'stock-creation.ts', environment: { WIRING: 'published' }, operations: 300 },
  {
    name: STOCK_BEST,
    file: 'stock-creation.ts',
    // Its own default.
    environment: { WIRING: 'best', KEEP_PARAMS_MS: '3000' },
    operations: 300,
  },
] as const;

/** How many times less a slice does in a short run. */
const SHORTER = 5;

const payTo = benchAccount('merchant').address;
const jobs = {
  sponsored: { payTo, feePayer: benchAccount('sponsor').address },
  unsponsored: { payTo },
} as const;

export const create: Scenario = {
  name: 'create',
  title: 'Creating a payment',
  method:
    'Each side in a process of its own builds and signs payments one after another through the stock interface ' +
    '`createPaymentPayload`; nothing is sent. Both ask the same stand-in algod for parameters. Cold: from the start ' +
    'of the process to the first payment.',
  ratios: [perSecond, medianLatency, cpuTime],
  async run(bench) {
    const algod = await bench.own(startParamsAlgod());
    return [
      ...(await bench.scoped((inner) => warm(inner, algod, 'sponsored'))),
      ...(await bench.scoped((inner) => warm(inner, algod, 'unsponsored'))),
      ...(await cold(bench, algod)),
    ];
  },
};

function start({ file, environment }: (typeof creators)[number], algod: ParamsAlgod): Promise<Creator> {
  const { privateKey } = benchAccount('payer 0');
  return startDriver({
    file,
    environment: { ...environment, ALGOD_URL: algod.url, ALGOD_TOKEN: 'none', AVM_PRIVATE_KEY: privateKey },
  });
}

async function warm(bench: Bench, algod: ParamsAlgod, kind: keyof typeof jobs) {
  const sides: Side[] = [];
  for (const creator of creators) {
    const driver = await bench.own(start(creator, algod));
    const job = { ...jobs[kind], operations: bench.full ? creator.operations : creator.operations / SHORTER };
    sides.push({
      name: creator.name,
      processes: { client: driver.pid },
      own: [driver.pid],
      warmUp: () => driver.run(job),
      run: () => driver.run(job),
    });
  }
  return bench.compare({ case: kind, sides, rounds: bench.full ? 9 : 2, nodeCalls: async () => algod.calls() });
}

/** A new process for every slice, its start included. */
function cold(bench: Bench, algod: ParamsAlgod) {
  const sides = creators.map((creator): Side => ({
    name: creator.name,
    processes: {},
    run: async () => {
      const driver = await start(creator, algod);
      try {
        const first = await driver.run({ ...jobs.sponsored, operations: 1 });
        const latenciesMs = first.latenciesMs.map((ms) => driver.startMs + ms);
        return { ...first, seconds: driver.startMs / 1000 + first.seconds, latenciesMs };
      } finally {
        await driver.stop();
      }
    },
  }));
  return bench.compare({ case: 'sponsored, cold', sides, rounds: bench.full ? 9 : 2 });
}
