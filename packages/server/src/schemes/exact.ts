import { ExactAvmServer } from '@avm402/avm/exact/server';
import { loadedOnce } from '@avm402/core/loaded-once';
import type { ServedScheme } from '../exchange/exchange.ts';

/** Payments of a fixed price. */
export const exactScheme: ServedScheme = {
  scheme: 'exact',
  offers: { server: ExactAvmServer },
  load: loadedOnce(async () => (await import('./serve-exact.ts')).serveExact),
};
