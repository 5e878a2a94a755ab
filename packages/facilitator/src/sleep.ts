import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds, or until the signal fires; never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
