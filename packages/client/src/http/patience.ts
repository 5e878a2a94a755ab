/** A time limit for an answer's beginning. */
export interface Patience {
  readonly signal: AbortSignal;
  /** The answer has begun: from now on only the caller's signal ends it. */
  disarm(): void;
}

/** A signal that fires after a time, or with the caller's. */
export function startPatience(ms: number, caller: AbortSignal | undefined): Patience {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), ms);
  // The caller's signal may live as long as the process. It holds such a signal weakly; a listener it would keep.
  const signal = caller ? AbortSignal.any([caller, controller.signal]) : controller.signal;
  return { signal, disarm: () => clearTimeout(timer) };
}
