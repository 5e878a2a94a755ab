import type { InterleaveOptions } from './interleave.ts';
import type { Measure } from './ratio.ts';
import type { Slice } from './sample.ts';

/** What a scenario is given to work with. */
export interface Bench {
  /** All cases, for longer. */
  readonly full: boolean;
  readonly signal: AbortSignal;
  /** One line about what is going on. */
  readonly progress: (text: string) => void;
  /** Stops a thing when the scenario, or the scope, has ended; the last one first. */
  readonly own: <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;
  /** Does a part of the work on a bench whose things are stopped when the part is done. */
  readonly scoped: <T>(work: (bench: Bench) => Promise<T>) => Promise<T>;
  /** Measures sides in turn; each has warmed up for ten seconds (half of one in a short run) unless another time is given. */
  readonly compare: (
    options: Pick<InterleaveOptions, 'case' | 'sides' | 'rounds' | 'nodeCalls'> &
      Partial<Pick<InterleaveOptions, 'warmUpMs'>>,
  ) => Promise<Slice[]>;
}

/** A ratio that a scenario reports for each of its cases. */
export interface RatioSpec {
  /** What is compared, e.g. `requests a second`. */
  readonly name: string;
  readonly measure: Measure;
  readonly better: 'more' | 'less';
}

/** One thing that is measured; it lies in a file of its own. */
export interface Scenario {
  /** Also the name of its file of samples. */
  readonly name: string;
  readonly title: string;
  /** How it is measured, for the reader of the results. */
  readonly method: string;
  readonly ratios: readonly RatioSpec[];
  /** What its plot shows; default: the first of the ratios, and no plot without any. */
  readonly plot?: { readonly name: string; readonly measure: Measure };
  readonly run: (bench: Bench) => Promise<Slice[]>;
}
