import { spread } from '../harness/percentile.ts';
import {
  cpuPerOperation,
  errorCount,
  figure,
  latency,
  nodeCallsPerOperation,
  rate,
  ratio,
  type Measure,
} from '../harness/ratio.ts';
import type { Slice } from '../harness/sample.ts';
import type { RatioSpec } from '../harness/scenario.ts';
import { formatRatio, formatSpread } from './figures.ts';
import { markdownTable } from './markdown-table.ts';

/** A case with its slices, in the order in which they were measured. */
export interface MeasuredCase {
  readonly name: string;
  readonly sides: readonly { readonly name: string; readonly slices: readonly Slice[] }[];
}

export function casesOf(slices: readonly Slice[]): MeasuredCase[] {
  return distinct(slices.map((slice) => slice.case)).map((name) => {
    const ofCase = slices.filter((slice) => slice.case === name);
    const sides = distinct(ofCase.map(({ side }) => side));
    return {
      name,
      sides: sides.map((side) => ({ name: side, slices: ofCase.filter((slice) => slice.side === side) })),
    };
  });
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

interface Column {
  readonly title: string;
  readonly measure: Measure;
}

/** The table of raw figures: medians over the slices, in brackets the least and the greatest. */
export function figuresTable(slices: readonly Slice[]): string {
  const columns = columnsOf(slices);
  const rows = casesOf(slices).flatMap(({ name, sides }) =>
    sides.map((side) => [
      name,
      side.name,
      ...columns.map(({ measure }) => formatSpread(spreadOf(side.slices, measure))),
      String(errorCount(side.slices)),
    ]),
  );
  return markdownTable(['case', 'side', ...columns.map(({ title }) => title), 'errors'], rows);
}

/** The table of what the first side of each case gains over the others. Empty when nothing is compared. */
export function ratioTable(slices: readonly Slice[], specs: readonly RatioSpec[]): string {
  const rows = casesOf(slices).flatMap(({ name, sides }) => {
    const [ours, ...others] = sides;
    if (ours === undefined) return [];
    const ofCase = sides.flatMap((side) => side.slices);
    return others.map((other) => [
      name,
      `${ours.name} : ${other.name}`,
      ...specs.map(({ measure, better }) =>
        formatRatio(ratio({ slices: ofCase, ours: ours.name, theirs: other.name, measure, better })),
      ),
    ]);
  });
  return rows.length === 0 || specs.length === 0
    ? ''
    : markdownTable(['case', 'ratio', ...specs.map(({ name }) => name)], rows);
}

/** Only columns of what was measured. */
function columnsOf(slices: readonly Slice[]): Column[] {
  const figures = new Set(slices.flatMap(({ figures: measured = {} }) => Object.keys(measured)));
  const roles = new Set(slices.flatMap(({ cpuMs = {} }) => Object.keys(cpuMs)));
  const columns: Column[] = [
    { title: 'a second', measure: rate },
    { title: 'p50 ms', measure: latency(0.5) },
    { title: 'p95 ms', measure: latency(0.95) },
    { title: 'p99 ms', measure: latency(0.99) },
    ...[...roles].map((role) => ({ title: `${role} CPU ms`, measure: cpuPerOperation([role]) })),
    { title: 'node calls', measure: nodeCallsPerOperation },
    ...[...figures].map((name) => ({ title: name, measure: figure(name) })),
  ];
  const isTimed = slices.some(({ latenciesMs = [] }) => latenciesMs.length > 0);
  return columns.filter(({ measure }) => {
    if (measure === rate && !isTimed) return false;
    return slices.some((slice) => measure(slice) !== undefined);
  });
}

function spreadOf(slices: readonly Slice[], measure: Measure) {
  return spread(slices.map(measure).filter((value) => value !== undefined));
}
