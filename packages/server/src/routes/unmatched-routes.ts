import { X402Error } from '@avm402/core/errors';
import type { PaymentEvent } from '../payment-event.ts';
import type { RequestFacts } from '../request/request-facts.ts';
import { pathOfTarget } from './path-readings.ts';
import type { PricedRoute, RouteTable } from './route-table.ts';

/** Requests after which a table that matched none of them is more likely misplaced than unvisited. */
const MANY = 100;

/** Warns the seller once about a table that never matches: it may be mounted where its paths are never seen. */
export class UnmatchedRoutes {
  readonly #table: RouteTable;
  readonly #report: (event: PaymentEvent) => void;
  #unmatched = 0;

  constructor(table: RouteTable, report: (event: PaymentEvent) => void) {
    this.#table = table;
    this.#report = report;
  }

  see(route: PricedRoute | undefined, { method, target }: RequestFacts): void {
    if (route !== undefined) this.#unmatched = Number.POSITIVE_INFINITY;
    if (++this.#unmatched !== MANY) return;
    const [first] = this.#table.routes;
    if (first === undefined) return;
    const code = 'routes_never_matched';
    const message = `${MANY} requests have passed unpaid, the last one ${method} ${pathOfTarget(target)}, and none was for "${first.key}" or any other route of its table`;
    this.#report({ type: 'warned', route: first.key, code, error: new X402Error(code, { message }) });
  }
}
