import { percentile, spread, type Spread } from './percentile.ts';
import type { Slice } from './sample.ts';

/** A figure of one slice; undefined where it was not measured. */
export type Measure = (slice: Slice) => number | undefined;

/** Operations a second. */
export const rate: Measure = ({ operations, seconds }) => (seconds > 0 ? operations / seconds : undefined);

/** Milliseconds below which the share `p` of the operations ended. */
export const latency =
  (p: number): Measure =>
  ({ latenciesMs = [] }) =>
    percentile(latenciesMs, p);

/** CPU milliseconds an operation, of these roles or of all but the node. */
export const cpuPerOperation =
  (roles?: readonly string[]): Measure =>
  ({ cpuMs, operations }) => {
    if (cpuMs === undefined || operations === 0) return undefined;
    const counted = Object.entries(cpuMs).filter(([role]) => (roles ? roles.includes(role) : role !== 'node'));
    if (counted.length === 0) return undefined;
    return counted.reduce((sum, [, ms]) => sum + ms, 0) / operations;
  };

/** Requests to the node an operation. */
export const nodeCallsPerOperation: Measure = ({ nodeCalls, operations }) => {
  if (nodeCalls === undefined || operations === 0) return undefined;
  return Object.values(nodeCalls).reduce((sum, calls) => sum + calls, 0) / operations;
};

export const figure =
  (name: string): Measure =>
  ({ figures }) =>
    figures?.[name];

export interface Comparison {
  /** Slices of the same case. */
  readonly slices: readonly Slice[];
  readonly ours: string;
  readonly theirs: string;
  readonly measure: Measure;
  /** `more`: operations a second; `less`: time, memory. */
  readonly better: 'more' | 'less';
}

/**
 * How many times better `ours` is than `theirs`, from the slices of the same round. There is no ratio when an operation
 * failed on either side, or nothing succeeded, or the measure is missing: a side that fails fast would look quick.
 */
export function ratio({ slices, ours, theirs, measure, better }: Comparison): Spread | undefined {
  const compared = slices.filter(({ side }) => side === ours || side === theirs);
  if (compared.some(hasErrors)) return undefined;
  const valueOf = (side: string, round: number): number | undefined => {
    const slice = compared.find((candidate) => candidate.side === side && candidate.round === round);
    return slice && measure(slice);
  };
  const rounds = [...new Set(compared.map(({ round }) => round))];
  const ratios = rounds.map((round) => {
    const [our, their] = [valueOf(ours, round), valueOf(theirs, round)];
    if (!our || !their) return undefined;
    return better === 'more' ? our / their : their / our;
  });
  return ratios.includes(undefined) ? undefined : spread(ratios.filter((value) => value !== undefined));
}

export function errorCount(slices: readonly Slice[]): number {
  return slices.flatMap(({ errors }) => Object.values(errors)).reduce((sum, count) => sum + count, 0);
}

function hasErrors({ errors, operations }: Slice): boolean {
  return operations === 0 || Object.keys(errors).length > 0;
}
