import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { readSamples, type Sample } from '../harness/sample.ts';
import type { RatioSpec, Scenario } from '../harness/scenario.ts';
import { scenarios } from '../scenarios/all.ts';
import { barChart } from './bar-chart.ts';
import { markdownTable } from './markdown-table.ts';
import { physicalLimits } from './physical-limits.ts';
import { figuresTable, ratioTable } from './scenario-report.ts';
import { targetRows } from './targets.ts';

const file = (name: string): URL => new URL(`../${name}`, import.meta.url);

/** Everything that is made from samples: file names under `bench/` and their contents. */
export async function resultFiles(): Promise<ReadonlyMap<string, string>> {
  const samples = await readSamples();
  const measured = scenarios.flatMap((scenario) => {
    const sample = samples.get(scenario.name);
    return sample === undefined ? [] : [{ scenario, sample }];
  });
  const profiles = await readFile(file('PROFILES.md'), 'utf8');
  const sections = measured.map(({ scenario, sample }) => section(scenario, sample));
  const parts = [introduction(samples), physicalLimits(samples), ...sections, profiles].filter((part) => part !== '');
  const plots = measured.flatMap(({ scenario, sample }) => {
    const plot = plotOf(scenario);
    if (plot === undefined) return [];
    const chart = barChart(`${scenario.title}: ${plot.name}`, sample.slices, plot.measure);
    return [[`plots/${scenario.name}.svg`, chart] as const];
  });
  return new Map([['RESULTS.md', `${parts.join('\n\n').trimEnd()}\n`], ...plots]);
}

/** Writes `bench/RESULTS.md` and its plots from the committed samples. */
export async function writeResults(): Promise<void> {
  await mkdir(file('plots/'), { recursive: true });
  for (const [name, text] of await resultFiles()) {
    await writeFile(file(name), text);
    console.log(`wrote bench/${name}`);
  }
}

function introduction(samples: ReadonlyMap<string, Sample>): string {
  const rows = targetRows(samples).map(({ name, wanted, measured, verdict }) => [name, wanted, measured, verdict]);
  return `# Speed, side by side

Made by \`npm run bench -- --report\` from the samples in \`bench/samples\`; nothing here is written by hand but the last
part. Take your own with \`npm run bench\` (a few minutes) or \`npm run bench -- --full --save\`.

Every side runs as its users run it: programs of their own, the installed JavaScript, real HTTP, one node for all. The
sides take turns, A B A B, after a warm-up of the same time for all; the idle ones are stopped meanwhile. Figures are
medians over the turns, in brackets the least and the greatest. Ratios compare turns that stand side by side; where an
operation failed on either side there is no ratio. "Stock" are the published \`@x402/*\` packages 2.26: *as published*
is the wiring of their README, *best settings* shares one algod client, keeps its parameters as long as its payments of
ten rounds outlive that (3 s with slow blocks; with a block for each payment, while one is made), and keeps connections
open. Nobody writes a line of log for each payment. CPU times are user and system time of each process, an operation.
Sections may differ in machine and commit: each says which.

## Targets

A factor counts against both wirings; the smaller one is shown, in brackets the least and the greatest over the turns.

${markdownTable(['target', 'wanted', 'measured', ''], rows, 1)}`;
}

function plotOf({ plot, ratios }: Scenario): Pick<RatioSpec, 'name' | 'measure'> | undefined {
  return plot ?? ratios[0];
}

function section(scenario: Scenario, sample: Sample): string {
  const { name, title, method, ratios } = scenario;
  const { machine, loadAverage, stolen, takenAt, full, commit } = sample;
  const facts =
    `${full ? 'Full' : 'Short'} run of ${takenAt.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}; ` +
    `${machine.processor}, ${machine.cores} cores, ` +
    `${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}; load average before ${loadAverage.before}, ` +
    `after ${loadAverage.after}${stolen === undefined ? '' : `; ${percent(stolen)} of the cores' time went to other guests`}.`;
  const table = ratioTable(sample.slices, ratios);
  const plot = plotOf(scenario) === undefined ? '' : `![${title}](plots/${name}.svg)`;
  return [`## ${title}`, method, facts, figuresTable(sample.slices), table, plot]
    .filter((part) => part !== '')
    .join('\n\n');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
