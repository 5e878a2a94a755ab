export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Longer timers fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
