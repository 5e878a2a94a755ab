import type { CompareOptions } from './compare.ts';
import type { Slice } from './sample.ts';

/** What a scenario is given to work with. */
export interface Bench {
  /** All cases, for longer. */
  readonly full: boolean;
  /** Stops what the scenario started, the last first, when the scenario ends. */
  readonly own: <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;
  readonly compare: (options: Omit<CompareOptions, 'signal'>) => Promise<Slice[]>;
}

/** Something that the project promises about its speed. */
export interface Target {
  readonly case: string;
  readonly figure: string;
  /** `times`: so many times better than stock; `atLeast`, `atMost`: so much of the figure. */
  readonly kind: 'times' | 'atLeast' | 'atMost';
  readonly wanted: number;
}

/** One thing that is measured; it lies in a file of its own. */
export interface Scenario {
  /** Also the name of its file of samples. */
  readonly name: string;
  readonly title: string;
  /** How it is measured, for the reader of the results. */
  readonly method: string;
  readonly targets: readonly Target[];
  readonly run: (bench: Bench) => Promise<Slice[]>;
}
