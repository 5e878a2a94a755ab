import { isDeepStrictEqual } from 'node:util';
import { median, spread } from '../harness/percentile.ts';
import { cpuPerOperation, figure, rate, ratio } from '../harness/ratio.ts';
import type { Sample, Slice } from '../harness/sample.ts';
import { BARE, OURS, STOCK_PUBLISHED } from '../scenarios/sides.ts';
import { formatNumber, formatRatio, formatSpread } from './figures.ts';
import { markdownTable } from './markdown-table.ts';

/** What the machine takes for each part that no payment can do without, CPU ms. */
interface Parts {
  readonly sign: number;
  readonly verify: number;
  readonly commit: number;
  /** One HTTP request, for the one who sends it and the one who answers it. */
  readonly ask: number;
  readonly answer: number;
}

interface Limit {
  readonly name: string;
  readonly parts: string;
  readonly of: (parts: Parts) => number;
  readonly scenario: string;
  readonly case: string;
  /** Whose CPU time counts, where it is not that of all programs but the node. */
  readonly role?: string;
}

const VERIFY = 'answer 1 request, 1 verification, ask 1 (simulate)';
const verifyLimit = ({ answer, verify, ask }: Parts): number => answer + verify + ask;
const settleLimit = ({ answer, verify, sign, commit, ask }: Parts): number =>
  answer + verify + sign + 3 * commit + 3 * ask;

const limits: readonly Limit[] = [
  { name: 'create a payment', parts: '1 signature', of: ({ sign }) => sign, scenario: 'create', case: 'sponsored' },
  { name: 'verify', parts: VERIFY, of: verifyLimit, scenario: 'verify', case: 'concurrency 10' },
  {
    name: 'settle',
    parts: 'answer 1, 1 verification, 1 signature, 3 commits, ask 3 (submit, wait, block)',
    of: settleLimit,
    scenario: 'settle',
    case: 'concurrency 1',
  },
  {
    name: 'whole request',
    parts: 'client: ask 2, 1 signature; server: answer 2, 1 verification, ask 2; verify and settle',
    of: (parts) =>
      2 * parts.ask +
      parts.sign +
      2 * parts.answer +
      parts.verify +
      2 * parts.ask +
      verifyLimit(parts) +
      settleLimit(parts),
    scenario: 'request',
    case: 'authorization, concurrency 1',
  },
  {
    name: 'asynchronous transaction, by the node',
    parts: 'answer 1, 1 verification',
    of: ({ answer, verify }) => answer + verify,
    scenario: 'node',
    case: 'asynchronous, axfer',
    role: 'node',
  },
];

/** How far our CPU times are from what the machine allows. Empty where the limits were not measured. */
export function physicalLimits(samples: ReadonlyMap<string, Sample>): string {
  const bare = samples.get('limits');
  const parts = partsOf(bare?.slices ?? []);
  if (parts === undefined) return '';
  const rows = limits.flatMap(({ name, parts: text, of, scenario, case: name2, role }) => {
    const sample = samples.get(scenario);
    const measured = ourMedian(sample, name2, cpuPerOperation(role === undefined ? undefined : [role]));
    if (measured === undefined) return [];
    const limit = of(parts);
    const isComparable = isDeepStrictEqual(sample?.machine, bare?.machine);
    const factor = isComparable ? `${formatNumber(measured / limit)}×` : 'none: another machine';
    return [[name, text, formatNumber(limit), formatNumber(measured), factor]];
  });
  const afterBlock = ourMedian(samples.get('blocks'), '20 at once', figure('p50 ms after its block'));
  const round =
    afterBlock === undefined
      ? ''
      : `\n\nTime: a payment can't be final before its block is there; callers have the answer ${formatNumber(afterBlock)} ms after it.`;
  return `## How far from the limit

CPU time of our processes against the sum of the bare parts, as the machine does them (last section of the figures).
A factor needs both of one machine.

${markdownTable(['operation', 'bare parts', 'limit, CPU ms', 'measured, CPU ms', 'factor'], rows)}${round}${bareExchanges(samples)}`;
}

/** How fast settlements and whole requests could be at most, against stock: programs that only exchange their messages. */
function bareExchanges(samples: ReadonlyMap<string, Sample>): string {
  const rows = ['request', 'settle'].flatMap((name) => bareRows(name, samples.get(name)?.slices ?? []));
  if (rows.length === 0) return '';
  const header = ['a second', BARE, OURS, STOCK_PUBLISHED, `${BARE} : stock`, `${OURS} : stock`];
  return `\n\nThe messages alone, sent and answered by programs that do nothing else, in turns with the others:\n\n${markdownTable(header, rows, 1)}`;
}

function bareRows(scenario: string, slices: readonly Slice[]): string[][] {
  const cases = [...new Set(slices.filter(({ side }) => side === BARE).map((slice) => slice.case))];
  return cases.map((name) => {
    const ofCase = slices.filter((slice) => slice.case === name);
    const of = (side: string): string =>
      formatSpread(
        spread(
          ofCase
            .filter((slice) => slice.side === side)
            .map(rate)
            .filter((value) => value !== undefined),
        ),
      );
    const factor = (ours: string): string =>
      formatRatio(ratio({ slices: ofCase, ours, theirs: STOCK_PUBLISHED, measure: rate, better: 'more' }));
    return [`${scenario}: ${name}`, of(BARE), of(OURS), of(STOCK_PUBLISHED), factor(BARE), factor(OURS)];
  });
}

function partsOf(slices: readonly Slice[]): Parts | undefined {
  const of = (task: string, role: string): number =>
    median(
      slices
        .filter((slice) => slice.case === task)
        .map(cpuPerOperation([role]))
        .filter((value) => value !== undefined),
    ) ?? Number.NaN;
  const parts = {
    sign: of('sign', 'the task'),
    verify: of('verify', 'the task'),
    commit: of('commit', 'the task'),
    ask: of('request', 'client side'),
    answer: of('request', 'server side'),
  };
  return Object.values(parts).every(Number.isFinite) ? parts : undefined;
}

function ourMedian(sample: Sample | undefined, name: string, measure: (slice: Slice) => number | undefined) {
  const slices = (sample?.slices ?? []).filter((slice) => slice.case === name && slice.side === OURS);
  return median(slices.map(measure).filter((value) => value !== undefined));
}
