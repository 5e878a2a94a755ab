/** How somebody asks for a settlement and takes no answer for one. */
export interface CallerPlan {
  /**
   * `persistent`: as our server does, the same call with its key again and again until there is an outcome.
   * `stock`: no key, one retry.
   */
  readonly style: 'persistent' | 'stock';
  readonly key?: string;
  /** When it begins, after the first caller of the payment. */
  readonly delayMs: number;
}

/** One payment to be made, and everybody who will try to settle it: the seller, then the duplicates. */
export interface Order {
  readonly number: number;
  readonly sponsored: boolean;
  /** Index of the seller among the merchants. */
  readonly seller: number;
  /** Atomic units. */
  readonly amount: bigint;
  readonly maxTimeoutSeconds: number;
  /**
   * Who pays: one of the payers with money for all, or of those who have money for one payment and make two, of which
   * a node refuses one.
   */
  readonly payer: { readonly poor: boolean; readonly index: number };
  readonly callers: readonly CallerPlan[];
}

export interface OrderPlan {
  readonly count: number;
  /** Part of the orders that others try to settle, too; exactly that part. */
  readonly duplicateShare: number;
  /** The kinds of duplicates. */
  readonly duplicates: readonly DuplicateKind[];
  /** Part of the orders that come from poor payers, in pairs. */
  readonly poorShare: number;
  readonly random: () => number;
}

export type DuplicateKind = 'same key' | 'other key' | 'no key';

/** Of a poor payer's payments only one can be paid for. */
export const POOR_BALANCE = 20_000n;
const POOR_AMOUNT = 15_000n;

export const RICH_PAYERS = 12;
export const SELLERS = 2;

/** A random choice of everything, the same for the same random numbers. */
export function planOrders({ count, duplicateShare, duplicates, poorShare, random }: OrderPlan): Order[] {
  const hasDuplicates = (number: number): boolean =>
    Math.floor((number + 1) * duplicateShare) > Math.floor(number * duplicateShare);
  const orders: Order[] = [];
  while (orders.length < count) {
    const isPair = random() < poorShare / 2 && orders.length + 2 <= count;
    const poorIndex = orders.length;
    for (let made = 0; made < (isPair ? 2 : 1); made++) {
      const payer = isPair ? { poor: true, index: poorIndex } : { poor: false, index: below(RICH_PAYERS, random) };
      orders.push({
        number: orders.length,
        sponsored: isPair || random() < 0.7,
        seller: below(SELLERS, random),
        amount: isPair ? POOR_AMOUNT : BigInt(1 + below(20_000, random)),
        maxTimeoutSeconds: random() < 0.3 ? 5 : 60,
        payer,
        callers: planCallers({ duplicates: hasDuplicates(orders.length) ? duplicates : [], random }),
      });
    }
  }
  return orders;
}

type CallersPlan = Pick<OrderPlan, 'duplicates' | 'random'>;

function planCallers({ duplicates, random }: CallersPlan): CallerPlan[] {
  const first: CallerPlan =
    random() < 0.65 ? { style: 'persistent', key: newKey(random), delayMs: 0 } : { style: 'stock', delayMs: 0 };
  const callers = [first];
  if (duplicates.length === 0) return callers;
  do callers.push(planDuplicate(first, { duplicates, random }));
  while (random() < 0.15);
  return callers;
}

/** Half of the duplicates come at the same time, the others within some seconds: some before the outcome, some after. */
function planDuplicate(first: CallerPlan, { duplicates, random }: CallersPlan): CallerPlan {
  const kind = duplicates[below(duplicates.length, random)] ?? 'same key';
  const delayMs = random() < 0.5 ? 0 : below(5_000, random);
  if (kind === 'other key') return { style: 'persistent', key: newKey(random), delayMs };
  return kind === 'same key' ? { ...first, delayMs } : { style: 'stock', delayMs };
}

function newKey(random: () => number): string {
  return Array.from({ length: 32 }, () => below(16, random).toString(16)).join('');
}

function below(limit: number, random: () => number): number {
  return Math.floor(random() * limit);
}
