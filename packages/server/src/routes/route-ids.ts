import { digestOf } from '../request/fingerprint.ts';
import type { PricedRoute } from './route-table.ts';

/**
 * Names the routes of one seller. A name is a hash of what is sold, and for what, so every process that sells the same
 * gives it the same name. Routes that read the same, as with prices from one factory, are told apart by their order.
 */
export class RouteIds {
  readonly #known = new Map<string, number>();

  /** Hex SHA-256. */
  next({ key, config }: PricedRoute): string {
    const text = JSON.stringify([key, config], withSource);
    const twins = this.#known.get(text) ?? 0;
    this.#known.set(text, twins + 1);
    return digestOf([text, String(twins)]);
  }
}

/** For `JSON.stringify`: writes a function as its source text. */
function withSource(_key: string, value: unknown): unknown {
  return typeof value === 'function' || typeof value === 'bigint' ? String(value) : value;
}
