import { fileURLToPath } from 'node:url';
import { startProgram } from '@avm402/stack/program';
import { startDriver, type Driver } from '../harness/driver.ts';
import type { LimitsJob } from '../harness/limits-job.ts';
import type { LoadResult } from '../harness/load.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';

const LIMIT = 'this machine';

export const limits: Scenario = {
  name: 'limits',
  title: 'What the machine allows',
  method:
    'The parts that no payment can do without, as bare as Node has them: one Ed25519 signature and verification by ' +
    '`node:crypto`, one commit of a row of 1 KB to SQLite (write-ahead log, `synchronous=NORMAL`), one JSON request of ' +
    '1.8 KB over an open connection, at both ends.',
  ratios: [],
  async run(bench) {
    const echo = fileURLToPath(new URL('../peers/echo-server.ts', import.meta.url));
    const server = await bench.own(startProgram({ name: 'echo-server', command: [echo], environment: {} }));
    const environment = { ECHO_URL: server.url };
    const driver = await bench.own(startDriver<LimitsJob, LoadResult>({ file: 'limits.ts', environment }));
    const slices = [];
    for (const task of ['sign', 'verify', 'commit'] as const) {
      slices.push(...(await measure(bench, driver, { task, operations: 5000, processes: { 'the task': driver.pid } })));
    }
    const processes = { 'client side': driver.pid, 'server side': server.pid };
    slices.push(...(await measure(bench, driver, { task: 'request', operations: 10_000, processes })));
    return slices;
  },
};

interface Task extends LimitsJob {
  readonly processes: Readonly<Record<string, number>>;
}

function measure(bench: Bench, driver: Driver<LimitsJob, LoadResult>, { task, operations, processes }: Task) {
  const run = (): Promise<LoadResult> => driver.run({ task, operations });
  return bench.compare({
    case: task,
    sides: [{ name: LIMIT, processes, warmUp: run, run }],
    rounds: bench.full ? 9 : 2,
  });
}
