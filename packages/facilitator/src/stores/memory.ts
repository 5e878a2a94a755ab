import type { Network } from '@avm402/core/network';
import {
  isFinal,
  type NewSettlement,
  type Settlement,
  type SettlementState,
  SPENDING_STATES,
  type Transition,
  TRANSITIONS,
} from '../settlement.ts';
import {
  type Budget,
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement-store.ts';

interface Row {
  settlement: Settlement;
  /** Until when the row is left to its owner, if that does not renew its lease; of a final row: when it became final. */
  leasedUntil: number;
}

/**
 * A settlement store that lives and dies with the process: for tests, and where losing it is no loss.
 *
 * @example
 * ```ts
 * import { memorySettlementStore } from '@avm402/facilitator';
 *
 * const store = memorySettlementStore();
 * ```
 */
export function memorySettlementStore(options: { readonly now?: () => number } = {}): SettlementStore {
  return new MemorySettlementStore(options.now ?? Date.now);
}

/** No method waits for anything, so each is atomic. */
class MemorySettlementStore implements SettlementStore {
  readonly #now: () => number;
  readonly #id = crypto.randomUUID();
  readonly #rows = new Map<string, Row>();
  readonly #rounds = new Map<Network, bigint>();
  /** Until when each owner has renewed its lease. */
  readonly #leases = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async open(): Promise<void> {}

  async id(): Promise<string> {
    return this.#id;
  }

  async record(settlement: NewSettlement, { owner, leaseMs, budgets = [] }: RecordOptions): Promise<RecordOutcome> {
    const existing = this.#rows.get(settlement.txId);
    if (existing !== undefined) return { outcome: 'exists', settlement: existing.settlement };
    const { network, sponsoredFee } = settlement;
    const hasRoom = (budget: Budget): boolean => this.#spent(network, budget) + sponsoredFee <= budget.microAlgos;
    if (!budgets.every(hasRoom)) return { outcome: 'over_budget' };
    this.#raise(network, settlement.round);
    const row: Settlement = {
      ...settlement,
      round: this.#highestRound(network),
      state: 'recorded',
      delivered: false,
      recordedAt: this.#now(),
      owner,
    };
    this.#rows.set(settlement.txId, { settlement: row, leasedUntil: this.#now() + leaseMs });
    return { outcome: 'recorded', settlement: row };
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return this.#rows.get(txId)?.settlement;
  }

  async change(txId: string, owner: string, { to, ...facts }: Transition): Promise<boolean> {
    const row = this.#rows.get(txId);
    const from: readonly SettlementState[] = TRANSITIONS[to];
    if (row === undefined || row.settlement.owner !== owner || !from.includes(row.settlement.state)) return false;
    if (to === 'released') return this.#rows.delete(txId);
    const settlement: Settlement = { ...row.settlement, ...facts, state: to };
    const { group: _, ...withoutGroup } = settlement;
    row.settlement = isFinal(settlement) ? withoutGroup : settlement;
    if (isFinal(settlement)) row.leasedUntil = this.#now();
    return true;
  }

  async deliver(txId: string): Promise<boolean> {
    const row = this.#rows.get(txId);
    if (row === undefined || row.settlement.state !== 'confirmed' || row.settlement.delivered) return false;
    row.settlement = { ...row.settlement, delivered: true };
    return true;
  }

  async takeOver({ owner, leaseMs, networks, withOwn = false }: TakeOverOptions): Promise<Settlement[]> {
    const now = this.#now();
    this.#leases.set(owner, now + leaseMs);
    const rows = [...this.#rows.values()].filter((row) => {
      const { settlement } = row;
      const isFree = settlement.owner === owner ? withOwn : this.#isAbandoned(row, now);
      return isFree && !isFinal(settlement) && networks.includes(settlement.network);
    });
    for (const row of rows) {
      row.settlement = { ...row.settlement, owner };
      row.leasedUntil = now + leaseMs;
    }
    return rows.map(({ settlement }) => settlement);
  }

  async spent(network: Network, budget: Omit<Budget, 'microAlgos'>): Promise<bigint> {
    return this.#spent(network, budget);
  }

  async raiseRound(network: Network, round: bigint): Promise<void> {
    this.#raise(network, round);
  }

  async lowerRound(network: Network, round: bigint): Promise<void> {
    if (round < this.#highestRound(network)) this.#rounds.set(network, round);
    for (const row of this.#rows.values()) {
      const { settlement } = row;
      const isAbove = settlement.network === network && settlement.round > round && !isFinal(settlement);
      if (isAbove) row.settlement = { ...settlement, round };
    }
  }

  async prune({ before, limit }: { readonly before: number; readonly limit: number }): Promise<number> {
    const old = [...this.#rows.values()]
      .filter(({ settlement, leasedUntil }) => isFinal(settlement) && leasedUntil < before)
      .map(({ settlement }) => settlement)
      .filter(({ network, lastValid }) => lastValid + SAFETY_ROUNDS < this.#highestRound(network))
      .slice(0, limit);
    for (const { txId } of old) this.#rows.delete(txId);
    return old.length;
  }

  async close(): Promise<void> {}

  #isAbandoned({ settlement: { owner }, leasedUntil }: Row, now: number): boolean {
    return leasedUntil <= now && (this.#leases.get(owner) ?? 0) <= now;
  }

  #spent(network: Network, { scope, since }: Omit<Budget, 'microAlgos'>): bigint {
    const states: readonly SettlementState[] = SPENDING_STATES;
    return [...this.#rows.values()]
      .map(({ settlement }) => settlement)
      .filter((settlement) => settlement.network === network && settlement.recordedAt >= since)
      .filter(({ state }) => states.includes(state))
      .filter(({ terms, payTo, payer }) => isWithin({ terms, payTo, payer }, scope))
      .reduce((total, { sponsoredFee }) => total + sponsoredFee, 0n);
  }

  #raise(network: Network, round: bigint): void {
    if (round > this.#highestRound(network)) this.#rounds.set(network, round);
  }

  #highestRound(network: Network): bigint {
    return this.#rounds.get(network) ?? 0n;
  }
}

function isWithin(facts: Readonly<Record<string, string | undefined>>, scope: Budget['scope']): boolean {
  return Object.entries(scope).every(([name, value]) => facts[name] === value);
}
