import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { figuresTable, targetsTable, writeResults } from './report.ts';
import { facts, writeSample, type Sample } from './sample.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';

const HELP = `usage: npm run bench [-- options]

Measures avm402 side by side with the stock x402 packages, on one node of this machine.

  --only NAME     one scenario; may be repeated
  --full          all cases, for longer (more than an hour; without it a few minutes)
  --save          keep the samples in bench/samples and write bench/RESULTS.md from them
  --report        measure nothing, only write bench/RESULTS.md from bench/samples
  --help          show this

Scenarios
${scenarios.map(({ name, title }) => `  ${name.padEnd(14)}  ${title}`).join('\n')}

The figures mean something only while the machine has nothing else to do.`;

interface Options {
  readonly full: boolean;
  readonly signal: AbortSignal;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      full: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { only, full, save } = values;
  if (values.help) return console.log(HELP);
  if (values.report) return writeResults();
  const unknown = only.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`no scenario is named ${unknown.join(', ')}; --help lists them`);
  const options = { full, signal: interruption() };
  const samples: Sample[] = [];
  for (const scenario of scenarios.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const sample = await measure(scenario, options);
    samples.push(sample);
    if (save) await writeSample(sample);
  }
  console.log(`\nTargets\n\n${targetsTable(samples)}`);
  if (save) await writeResults();
}

/** Ctrl-C ends the run after the current slice, a second one at once. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    console.error('\nbench: stopping after this slice (again to stop at once)');
    interrupted.abort(new Error('interrupted; nothing of this scenario is kept'));
    process.once('SIGINT', () => process.exit(130));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return interrupted.signal;
}

/** Runs a scenario and stops what it started. */
async function measure({ name, title, run }: Scenario, { full, signal }: Options): Promise<Sample> {
  await using started = new AsyncDisposableStack();
  const sample = { scenario: name, facts: facts(full) };
  console.log(`\n${title} (${name})`);
  const slices = await run({
    full,
    own: async (starting) => {
      const thing = await starting;
      started.defer(async () => void (await thing.stop()));
      return thing;
    },
    compare: (what) => compare({ ...what, signal }),
  });
  console.log(`\n${figuresTable(slices)}`);
  return { ...sample, slices };
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
