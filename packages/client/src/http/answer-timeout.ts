/** A time limit for the beginning of an answer. */
export interface AnswerTimeout {
  readonly signal: AbortSignal;
  /** The answer has begun: only the caller's signal ends it from now on. */
  disarm(): void;
}

/** A signal that aborts after `ms`, or with the caller's signal. */
export function startAnswerTimeout(ms: number, caller: AbortSignal | undefined): AnswerTimeout {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), ms);
  // The caller's signal may live as long as the process. It holds a dependent signal weakly, but keeps a listener.
  const signal = caller ? AbortSignal.any([caller, controller.signal]) : controller.signal;
  return { signal, disarm: () => clearTimeout(timer) };
}
