import { parseArgs } from 'node:util';
import { compare } from './measure/compare.ts';
import { figuresTable, targetsTable, writeResults } from './measure/report.ts';
import { facts, writeSample, type Sample } from './measure/sample.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';

const HELP = `usage: npm run bench [-- options]

Measures avm402 side by side with the stock x402 packages, on one node of this machine.

  --only NAME     one scenario; may be repeated
  --full          all cases, for longer (35 minutes; without it a few minutes)
  --save          keep the samples in bench/samples and write bench/RESULTS.md from them
  --report        measure nothing, only write bench/RESULTS.md from bench/samples
  --help          show this

Scenarios: ${scenarios.map(({ name }) => name).join(', ')}
bench/RESULTS.md says what each measures, and how.

The figures mean something only while the machine has nothing else to do.`;

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
  const signal = interruption();
  const samples: Sample[] = [];
  const chosen = scenarios.filter((scenario) => only.length === 0 || only.includes(scenario.name));
  const timeLeft = estimate(chosen);
  for (const [index, { name, run }] of chosen.entries()) {
    console.log(`\n${name}${full ? `; ${timeLeft(index)}` : ''}`);
    const before = facts(full);
    const slices = await runScenario(run, { full, compare: (what) => compare({ ...what, signal }) });
    console.log(`\n${figuresTable(slices)}`);
    const sample = { scenario: name, facts: before, slices };
    samples.push(sample);
    if (save) await writeSample(sample);
  }
  console.log(`\nTargets\n\n${targetsTable(samples)}`);
  if (save) await writeResults();
}

/** How long a full run still takes: what is expected of the scenarios to come, at the pace of those that are over. */
function estimate(chosen: readonly Scenario[]): (done: number) => string {
  const start = performance.now();
  const expected = (some: readonly Scenario[]): number => some.reduce((sum, { fullSeconds }) => sum + fullSeconds, 0);
  return (done) => {
    const over = expected(chosen.slice(0, done));
    const pace = over === 0 ? 1 : (performance.now() - start) / 1000 / over;
    return `scenario ${done + 1} of ${chosen.length}, about ${Math.ceil((expected(chosen.slice(done)) * pace) / 60)} minutes left`;
  };
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

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
