import { noTrace } from '@avm402/core/trace';
import { requestContext } from './request-context.ts';

/** What a settlement goes through, one after the other. */
export type Phase = 'verify' | 'record' | 'submit' | 'confirm';

/**
 * How long each phase of a settlement took, for log, measures and, below the request that brought it, spans. A settlement
 * that was taken over has no times from before that.
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

  /** Milliseconds of each phase that has ended. */
  get ms(): Readonly<Partial<Record<Phase, number>>> {
    return this.#ms;
  }

  /** Ends a phase, and the next one begins. Where it is repeated only the first time counts. */
  end(phase: Phase): void {
    if (this.#ms[phase] !== undefined) return;
    const now = this.#now();
    this.#ms[phase] = now - this.#last;
    this.#trace.past(`x402.phase.${phase}`, {}, { from: this.#last, to: now });
    this.#last = now;
  }
}
