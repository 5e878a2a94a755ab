import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { profileSummaries } from './harness/profile.ts';
import { runScenario } from './harness/run-scenario.ts';
import { writeSample, type Sample } from './harness/sample.ts';
import { markdownTable } from './report/markdown-table.ts';
import { figuresTable, ratioTable } from './report/scenario-report.ts';
import { writeResults } from './report/results.ts';
import { targetRows } from './report/targets.ts';
import { scenarios } from './scenarios/all.ts';

const HELP = `usage: npm run bench [-- options]

Measures avm402 side by side with the stock x402 packages, on one node of this machine.

  --only NAME     one scenario; may be repeated
  --full          all cases, for longer (more than an hour; without it less than five minutes)
  --save          keep the samples in bench/samples and write bench/RESULTS.md and its plots from them
  --profile       take CPU profiles of all programs meanwhile, and say where their time went (the figures suffer)
  --report        measure nothing, only write bench/RESULTS.md and its plots from bench/samples
  --help          show this

Scenarios
${scenarios.map(({ name, title }) => `  ${name.padEnd(14)}  ${title}`).join('\n')}

The figures mean something only while the machine has nothing else to do.`;

interface Arguments {
  readonly names: readonly string[];
  readonly full: boolean;
  readonly save: boolean;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      full: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.report) return writeResults();
  const unknown = values.only.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    console.error(
      `bench: no scenario named ${unknown.join(', ')}; there are ${scenarios.map(({ name }) => name).join(', ')}`,
    );
    process.exitCode = 2;
    return;
  }
  const { only: names, full, save } = values;
  if (values.profile) return profile({ names, full, save: false });
  await measure({ names, full, save });
}

async function profile(what: Arguments): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-profile-'));
  process.env['BENCH_PROFILE'] = folder;
  await measure(what);
  for (const summary of await profileSummaries(folder)) console.log(`\n${summary}`);
  console.log(`\nThe profiles are in ${folder}.`);
}

async function measure({ names, full, save }: Arguments): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    console.error('\nbench: stopping; nothing of this scenario is kept (again to stop at once)');
    interrupted.abort();
    process.once('SIGINT', () => process.exit(130));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const samples = new Map<string, Sample>();
  const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const scenario of chosen) {
    const start = performance.now();
    console.log(`\n${scenario.title} (${scenario.name})`);
    const sample = await runScenario(scenario, { full, signal: interrupted.signal });
    if (sample === undefined) {
      process.exitCode = 130;
      return;
    }
    print(sample, scenario.ratios);
    console.log(`It took ${Math.round((performance.now() - start) / 1000)} s.`);
    samples.set(scenario.name, sample);
    if (save) await writeSample(sample);
  }
  printTargets(samples);
  if (save) await writeResults();
}

function print({ slices, loadAverage }: Sample, ratios: Parameters<typeof ratioTable>[1]): void {
  console.log(`\n${figuresTable(slices)}\n`);
  const table = ratioTable(slices, ratios);
  if (table !== '') console.log(`${table}\n`);
  if (loadAverage.before > 0.5) {
    console.log(
      `The machine was busy before (load average ${loadAverage.before}): take these figures for a hint only.`,
    );
  }
}

/** The targets that this run has measured. */
function printTargets(samples: ReadonlyMap<string, Sample>): void {
  const rows = targetRows(samples).filter(({ verdict }) => verdict !== 'not measured');
  if (rows.length === 0) return;
  const cells = rows.map(({ name, wanted, measured, verdict }) => [name, wanted, measured, verdict]);
  console.log(`\nTargets\n\n${markdownTable(['target', 'wanted', 'measured', ''], cells, 1)}`);
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}${isUsage ? '; see --help' : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
