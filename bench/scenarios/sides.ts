import { cpuPerOperation, latency, rate } from '../harness/ratio.ts';
import type { RatioSpec } from '../harness/scenario.ts';

export const OURS = 'ours';
/** Our client pays at first try what it has bought before. */
export const OURS_PREEMPT = 'ours, preempt';
export const STOCK_PUBLISHED = 'stock, as published';
export const STOCK_BEST = 'stock, best settings';
/** The same HTTP exchanges without any work: what no program can do without. */
export const BARE = 'bare exchanges';

export const perSecond: RatioSpec = { name: 'a second', measure: rate, better: 'more' };
export const medianLatency: RatioSpec = { name: 'p50', measure: latency(0.5), better: 'less' };
export const cpuTime: RatioSpec = { name: 'CPU time', measure: cpuPerOperation(), better: 'less' };
