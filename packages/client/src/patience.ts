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
  const disarm = (): void => clearTimeout(timer);
  const follow = (): void => {
    disarm();
    controller.abort(caller?.reason);
  };
  if (caller?.aborted === true) follow();
  else caller?.addEventListener('abort', follow, { once: true });
  return { signal: controller.signal, disarm };
}
