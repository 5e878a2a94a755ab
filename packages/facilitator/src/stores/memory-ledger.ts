import {
  type DayTotal,
  dayOf,
  dayText,
  isWithin,
  type LedgerFilter,
  type LedgerPlace,
  type LedgerQuery,
  MAX_TOTALS,
} from '../settlement/ledger.ts';
import type { Settlement } from '../settlement/settlement.ts';
import { compareTexts } from './compare-texts.ts';

/** A page of the ledger over settlements in memory. */
export function listOf(settlements: Iterable<Settlement>, { after, limit, ...filter }: LedgerQuery): Settlement[] {
  return [...settlements]
    .filter((settlement) => isWithin(settlement, filter))
    .filter((settlement) => after === undefined || comparePlaces(after, settlement) < 0)
    .toSorted(comparePlaces)
    .slice(0, limit);
}

/** The totals of settlements in memory. */
export function totalsOf(settlements: Iterable<Settlement>, filter: LedgerFilter): DayTotal[] {
  const totals = new Map<string, DayTotal>();
  for (const settlement of listOf(settlements, { ...filter, limit: Infinity })) {
    if (settlement.state !== 'confirmed') continue;
    const { network, asset, amount, sponsoredFee, channel } = settlement;
    const day = dayText(dayOf(settlement.recordedAt));
    const key = [day, network, asset, channel?.kind].join(' ');
    const known = totals.get(key) ?? { settlements: 0, amount: 0n, sponsoredFee: 0n };
    totals.set(key, {
      day,
      network,
      asset,
      ...(channel !== undefined && { channelMove: channel.kind }),
      settlements: known.settlements + 1,
      amount: known.amount + amount,
      sponsoredFee: known.sponsoredFee + sponsoredFee,
    });
  }
  const order = [...totals].toSorted(([a], [b]) => compareTexts(a, b));
  return order
    .map(([, total]) => total)
    .toSorted((a, b) => compareTexts(b.day, a.day))
    .slice(0, MAX_TOTALS);
}

/** The latest comes first. */
function comparePlaces(a: LedgerPlace, b: LedgerPlace): number {
  return b.recordedAt - a.recordedAt || compareTexts(b.txId, a.txId);
}
