import { noTrace } from '@avm402/core/trace';
import { requestContext } from '../log/request-context.ts';

/** The phases of a settlement, in order. */
export type Phase = 'verify' | 'record' | 'submit' | 'confirm';

/**
 * Measures the phases of a settlement, for the log, for metrics, and for spans below the request that brought it. A
 * settlement that was taken over has no times from before that.
 */
export class PhaseTimes {
  readonly #now: () => number;
  readonly #ms: Partial<Record<Phase, number>> = {};
  readonly #trace = requestContext.getStore()?.trace ?? noTrace;
  #last: number;

  /** The first phase begins now. */
  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** The duration in milliseconds of each phase that has ended. */
  get ms(): Readonly<Partial<Record<Phase, number>>> {
    return this.#ms;
  }

  /** Ends a phase and begins the next. If a phase is repeated, only its first time counts. */
  end(phase: Phase): void {
    if (this.#ms[phase] !== undefined) return;
    const now = this.#now();
    this.#ms[phase] = now - this.#last;
    this.#trace.past(`x402.phase.${phase}`, {}, { from: this.#last, to: now });
    this.#last = now;
  }
}
