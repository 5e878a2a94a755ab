import { startDriver } from '../harness/driver.ts';
import type { Side } from '../harness/interleave.ts';
import type { LoadResult } from '../harness/load.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import type { SignatureJob } from '../harness/signature-job.ts';
import { OURS, perSecond } from './sides.ts';

/** Operations of a slice of a full run: about a second of each. */
const schemes = [
  { name: OURS, file: 'our-signatures.ts', sign: 20_000, verify: 6000 },
  { name: 'algokit-utils (stock)', file: 'algokit-signatures.ts', sign: 1000, verify: 500 },
  { name: 'algosdk', file: 'algosdk-signatures.ts', sign: 100, verify: 60 },
] as const;

export const signatures: Scenario = {
  name: 'signatures',
  title: 'Ed25519',
  method:
    'Each side in a process of its own signs, or verifies, different messages of 220 bytes, as long as a transfer. ' +
    'The stock packages sign and verify with algokit-utils.',
  ratios: [perSecond],
  run: async (bench) => [
    ...(await bench.scoped((inner) => task(inner, 'sign'))),
    ...(await bench.scoped((inner) => task(inner, 'verify'))),
  ],
};

async function task(bench: Bench, kind: SignatureJob['task']) {
  const sides: Side[] = [];
  for (const scheme of schemes) {
    const driver = await bench.own(startDriver<SignatureJob, LoadResult>({ file: scheme.file }));
    const job = { task: kind, operations: bench.full ? scheme[kind] : scheme[kind] / 8 };
    sides.push({
      name: scheme.name,
      processes: {},
      own: [driver.pid],
      warmUp: () => driver.run(job),
      run: () => driver.run(job),
    });
  }
  return bench.compare({ case: kind, sides, rounds: bench.full ? 9 : 2 });
}
