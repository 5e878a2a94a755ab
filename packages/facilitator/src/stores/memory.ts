import type { Network } from '@avm402/core/network';
import { isEnding } from '../settlement/channel-move.ts';
import type { DayTotal, LedgerFilter, LedgerQuery } from '../settlement/ledger.ts';
import {
  isFinal,
  keepsNextBack,
  type NewSettlement,
  type Settlement,
  type SettlementState,
  SPENDING_STATES,
  type Transition,
  TRANSITIONS,
} from '../settlement/settlement.ts';
import {
  type Budget,
  type BudgetScope,
  type ChannelLimits,
  type ChannelParty,
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement/settlement-store.ts';
import { MemoryCatalogue } from './memory-catalogue.ts';
import { listOf, totalsOf } from './memory-ledger.ts';

interface Row {
  settlement: Settlement;
  /** Until when the row is left to its owner, if that does not renew its lease; of a final row: when it became final. */
  leasedUntil: number;
  /** Of an opening: until its channel has ended. */
  isChannelOpen: boolean;
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
  readonly catalogue = new MemoryCatalogue();
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

  async record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome> {
    const { owner, leaseMs, budgets = [], channelLimits } = options;
    const existing = this.#rows.get(settlement.txId);
    if (existing !== undefined) return { outcome: 'exists', settlement: existing.settlement };
    const taken = this.#takenBy(settlement);
    if (taken !== undefined) return { outcome: 'channel_taken', settlement: taken };
    if (!this.#hasPlace(settlement, channelLimits)) return { outcome: 'too_many_channels' };
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
    const isChannelOpen = settlement.channel?.kind === 'open';
    this.#rows.set(settlement.txId, { settlement: row, leasedUntil: this.#now() + leaseMs, isChannelOpen });
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

  async budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
    const left = budget.microAlgos - this.#spent(network, budget);
    return left < upTo ? left : upTo;
  }

  async channel(id: string): Promise<Settlement[]> {
    return this.#channel(id);
  }

  async openChannels(network: Network, of: ChannelParty = {}): Promise<number> {
    return this.#openChannels(network, of);
  }

  async expiredChannels(
    network: Network,
    { round, limit }: { readonly round: bigint; readonly limit: number },
  ): Promise<Settlement[]> {
    return [...this.#rows.values()]
      .filter(({ isChannelOpen }) => isChannelOpen)
      .map(({ settlement }) => settlement)
      .filter((settlement) => settlement.network === network && settlement.state === 'confirmed')
      .filter((settlement) => expiryOf(settlement) < round)
      .toSorted((a, b) => Number(expiryOf(a) - expiryOf(b)))
      .slice(0, limit);
  }

  async endChannel(id: string): Promise<void> {
    for (const row of this.#rows.values()) if (row.settlement.channel?.id === id) row.isChannelOpen = false;
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
      .filter(({ settlement, isChannelOpen }) => !isChannelOpen || settlement.state === 'expired')
      .map(({ settlement }) => settlement)
      .filter(({ network, lastValid }) => lastValid + SAFETY_ROUNDS < this.#highestRound(network))
      .filter((settlement) => expiryOf(settlement) + SAFETY_ROUNDS < this.#highestRound(settlement.network))
      .slice(0, limit);
    for (const { txId } of old) this.#rows.delete(txId);
    return old.length;
  }

  async list(query: LedgerQuery): Promise<readonly Settlement[]> {
    return listOf(this.#settlements(), query);
  }

  async totals(filter: LedgerFilter): Promise<readonly DayTotal[]> {
    return totalsOf(this.#settlements(), filter);
  }

  async checkWritable(): Promise<void> {}

  async close(): Promise<void> {}

  #settlements(): Settlement[] {
    return [...this.#rows.values()].map(({ settlement }) => settlement);
  }

  #isAbandoned({ settlement: { owner }, leasedUntil }: Row, now: number): boolean {
    return leasedUntil <= now && (this.#leases.get(owner) ?? 0) <= now;
  }

  #spent(network: Network, { scope, since }: Omit<Budget, 'microAlgos'>): bigint {
    const states: readonly SettlementState[] = SPENDING_STATES;
    return [...this.#rows.values()]
      .map(({ settlement }) => settlement)
      .filter((settlement) => settlement.network === network && settlement.recordedAt >= since)
      .filter(({ state }) => states.includes(state))
      .filter((settlement) => isWithin(settlement, scope))
      .reduce((total, { sponsoredFee }) => total + sponsoredFee, 0n);
  }

  #channel(id: string): Settlement[] {
    return [...this.#rows.values()]
      .map(({ settlement }) => settlement)
      .filter(({ channel }) => channel?.id === id && channel.kind !== 'top-up');
  }

  #openChannels(network: Network, of: ChannelParty): number {
    const states: readonly SettlementState[] = SPENDING_STATES;
    return [...this.#rows.values()]
      .filter(({ isChannelOpen, settlement }) => isChannelOpen && states.includes(settlement.state))
      .map(({ settlement }) => settlement)
      .filter((settlement) => settlement.network === network && isWithin(settlement, of)).length;
  }

  #hasPlace({ network, payer, payTo, channel }: NewSettlement, limits: ChannelLimits | undefined): boolean {
    if (limits === undefined || channel?.kind !== 'open') return true;
    const hasRoom = (of: ChannelParty, most: number): boolean => this.#openChannels(network, of) < most;
    return hasRoom({}, limits.total) && hasRoom({ payer }, limits.ofPayer) && hasRoom({ payTo }, limits.ofReceiver);
  }

  /** The row that keeps this one from being written: its channel is opened once and ends once. */
  #takenBy({ channel, round }: NewSettlement): Settlement | undefined {
    if (channel === undefined || channel.kind === 'top-up') return undefined;
    return this.#channel(channel.id)
      .filter((other) => other.channel !== undefined && isEnding(other.channel) === isEnding(channel))
      .find((other) => keepsNextBack(other, round));
  }

  #raise(network: Network, round: bigint): void {
    if (round > this.#highestRound(network)) this.#rounds.set(network, round);
  }

  #highestRound(network: Network): bigint {
    return this.#rounds.get(network) ?? 0n;
  }
}

function expiryOf({ channel }: Settlement): bigint {
  return channel?.kind === 'open' ? channel.config.expiry : 0n;
}

function isWithin({ terms, payTo, payer, advance }: Settlement, scope: BudgetScope): boolean {
  const facts = { terms, payTo, payer, advance };
  return Object.entries({ ...facts, ...scope }).every(([name, value]) => Reflect.get(facts, name) === value);
}
