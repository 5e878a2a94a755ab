import type { Network } from '@avm402/core/network';
import type { Budget, NewSettlement, RecordOptions, SettlementState, Transition } from '../../src/index.ts';
import { SPENDING_STATES, TRANSITIONS } from '../../src/settlement/settlement.ts';

interface Row extends NewSettlement {
  state: SettlementState;
  isPassedOn?: boolean | undefined;
  readonly recordedAt: number;
}

/** The oracle of budgets: an array of rows, all of which are summed each time. */
export class SpentBudgets {
  readonly #now: () => number;
  readonly #rows: Row[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  async record(settlement: NewSettlement, { budgets = [] }: RecordOptions): Promise<{ readonly outcome: string }> {
    const { network, sponsoredFee } = settlement;
    if (this.#rows.some(({ txId }) => txId === settlement.txId)) return { outcome: 'exists' };
    const lefts = await Promise.all(budgets.map((budget) => this.budgetLeft(network, budget, sponsoredFee)));
    if (lefts.some((left) => left < sponsoredFee)) return { outcome: 'over_budget' };
    this.#rows.push({ ...settlement, state: 'recorded', recordedAt: this.#now() });
    return { outcome: 'recorded' };
  }

  async change(txId: string, _: string, transition: Transition): Promise<boolean> {
    const { to } = transition;
    const row = this.#rows.find((one) => one.txId === txId);
    const from: readonly SettlementState[] = TRANSITIONS[to];
    if (row === undefined || to === 'released' || !from.includes(row.state)) return false;
    row.state = to;
    row.isPassedOn = to === 'rejected' && transition.isPassedOn;
    return true;
  }

  async budgetLeft(network: Network, { scope, since, microAlgos }: Budget, upTo: bigint): Promise<bigint> {
    const states: readonly SettlementState[] = SPENDING_STATES;
    const counted = this.#rows
      .filter((row) => row.network === network && row.recordedAt >= since)
      .filter((row) => states.includes(row.state) || row.isPassedOn)
      .filter((row) => Object.entries(scope).every(([name, value]) => Reflect.get(row, name) === value));
    const left = counted.reduce((rest, { sponsoredFee }) => rest - sponsoredFee, microAlgos);
    return left < upTo ? left : upTo;
  }
}
