import { type Order, RICH_PAYERS, SELLERS } from '../orders/orders.ts';

/** Sponsored payments of one size, of all payers and to all sellers in turn. Each seller insists on its outcome. */
export function ordersOf(count: number): Order[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    sponsored: true,
    seller: number % SELLERS,
    amount: 1_000n,
    maxTimeoutSeconds: 60,
    payer: { poor: false, index: number % RICH_PAYERS },
    callers: [{ style: 'persistent', key: `the key of order ${number}`, delayMs: 0 }],
  }));
}
