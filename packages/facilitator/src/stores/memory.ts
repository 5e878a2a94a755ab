import type { X402ErrorCode } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { isFinal, type NewSettlement, type Settlement } from '../settlement.ts';
import {
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement-store.ts';

interface Row {
  settlement: Settlement;
  leasedUntil: number;
}

/** A settlement store that lives and dies with the process: for tests, and where losing it is no loss. */
export function memorySettlementStore(options: { readonly now?: () => number } = {}): SettlementStore {
  return new MemorySettlementStore(options.now ?? Date.now);
}

/** No method waits for anything, so each is atomic. */
class MemorySettlementStore implements SettlementStore {
  readonly #now: () => number;
  readonly #id = crypto.randomUUID();
  readonly #rows = new Map<string, Row>();
  readonly #rounds = new Map<Network, bigint>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async open(): Promise<void> {}

  async id(): Promise<string> {
    return this.#id;
  }

  async record(settlement: NewSettlement, { owner, leaseMs, budget }: RecordOptions): Promise<RecordOutcome> {
    const existing = this.#rows.get(settlement.txId);
    if (existing !== undefined) return { outcome: 'exists', settlement: existing.settlement };
    if (budget !== undefined && settlement.budgetedFee > 0n) {
      const spent = this.#spent(settlement.network, budget.since);
      if (spent + settlement.budgetedFee > budget.microAlgos) return { outcome: 'over_budget' };
    }
    this.#raise(settlement.network, settlement.round);
    const row: Settlement = {
      ...settlement,
      round: this.#highestRound(settlement.network),
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

  async submit(txId: string, owner: string): Promise<boolean> {
    return this.#change(txId, owner, ['recorded'], { state: 'submitted' });
  }

  async reject(txId: string, owner: string, reason: X402ErrorCode): Promise<boolean> {
    return this.#change(txId, owner, ['submitted'], { state: 'rejected', reason });
  }

  async confirm(txId: string, owner: string, confirmedRound: bigint): Promise<boolean> {
    return this.#change(txId, owner, ['submitted', 'rejected'], { state: 'confirmed', confirmedRound });
  }

  async expire(txId: string, owner: string): Promise<boolean> {
    return this.#change(txId, owner, ['submitted', 'rejected'], { state: 'expired' });
  }

  async release(txId: string, owner: string): Promise<boolean> {
    const row = this.#rows.get(txId);
    if (row === undefined || row.settlement.owner !== owner || isFinal(row.settlement)) return false;
    return this.#rows.delete(txId);
  }

  async deliver(txId: string): Promise<boolean> {
    const row = this.#rows.get(txId);
    if (row === undefined || row.settlement.state !== 'confirmed' || row.settlement.delivered) return false;
    row.settlement = { ...row.settlement, delivered: true };
    return true;
  }

  async takeOver({ owner, leaseMs, networks }: TakeOverOptions): Promise<Settlement[]> {
    const now = this.#now();
    const rows = [...this.#rows.values()].filter(({ settlement, leasedUntil }) => {
      const isFree = settlement.owner === owner || leasedUntil <= now;
      return isFree && !isFinal(settlement) && networks.includes(settlement.network);
    });
    for (const row of rows) {
      row.settlement = { ...row.settlement, owner };
      row.leasedUntil = now + leaseMs;
    }
    return rows.map(({ settlement }) => settlement);
  }

  async budgetSpent(network: Network, since: number): Promise<bigint> {
    return this.#spent(network, since);
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

  #spent(network: Network, since: number): bigint {
    return [...this.#rows.values()]
      .map(({ settlement }) => settlement)
      .filter((settlement) => settlement.network === network && settlement.recordedAt >= since)
      .filter(({ state }) => state !== 'expired')
      .reduce((total, { budgetedFee }) => total + budgetedFee, 0n);
  }

  #raise(network: Network, round: bigint): void {
    if (round > this.#highestRound(network)) this.#rounds.set(network, round);
  }

  #highestRound(network: Network): bigint {
    return this.#rounds.get(network) ?? 0n;
  }

  #change(txId: string, owner: string, from: readonly Settlement['state'][], change: Partial<Settlement>): boolean {
    const row = this.#rows.get(txId);
    if (row === undefined || row.settlement.owner !== owner || !from.includes(row.settlement.state)) return false;
    const settlement = { ...row.settlement, ...change };
    const { group: _, ...withoutGroup } = settlement;
    row.settlement = isFinal(settlement) ? withoutGroup : settlement;
    return true;
  }
}
