import type { DayTotal } from '../settlement/ledger.ts';
import type { Settlement } from '../settlement/settlement.ts';

const SETTLEMENT_COLUMNS = [
  'recordedAt',
  'transaction',
  'network',
  'state',
  'asset',
  'amount',
  'payer',
  'payTo',
  'feePayer',
  'sponsoredFee',
  'confirmedRound',
  'errorReason',
  'channel',
  'channelMove',
] as const;
const TOTAL_COLUMNS = ['day', 'network', 'asset', 'channelMove', 'settlements', 'amount', 'sponsoredFee'] as const;

/** A line of the ledger for people and programs. Amounts are text, because JSON's numbers are not exact. */
export type LedgerEntry = Partial<Readonly<Record<(typeof SETTLEMENT_COLUMNS)[number], string>>>;
export type TotalEntry = Partial<Readonly<Record<(typeof TOTAL_COLUMNS)[number], string>>>;

export function ledgerEntry(settlement: Settlement): LedgerEntry {
  const { txId, network, state, asset, amount, payer, payTo, feePayer, confirmedRound, reason, channel } = settlement;
  return {
    recordedAt: new Date(settlement.recordedAt).toISOString(),
    transaction: txId,
    network,
    state,
    asset,
    amount: String(amount),
    payer,
    payTo,
    ...(feePayer !== undefined && { feePayer, sponsoredFee: String(settlement.sponsoredFee) }),
    ...(confirmedRound !== undefined && { confirmedRound: String(confirmedRound) }),
    ...(reason !== undefined && { errorReason: reason }),
    ...(channel !== undefined && { channel: channel.id, channelMove: channel.kind }),
  };
}

export function totalEntry({ settlements, amount, sponsoredFee, ...total }: DayTotal): TotalEntry {
  return { ...total, settlements: String(settlements), amount: String(amount), sponsoredFee: String(sponsoredFee) };
}

export const SETTLEMENT_HEADING = csvLine(SETTLEMENT_COLUMNS);
export const TOTAL_HEADING = csvLine(TOTAL_COLUMNS);

export function ledgerLine(entry: LedgerEntry): string {
  return csvLine(SETTLEMENT_COLUMNS.map((column) => entry[column]));
}

export function totalLine(entry: TotalEntry): string {
  return csvLine(TOTAL_COLUMNS.map((column) => entry[column]));
}

/** Values are addresses, codes, numbers and times: they need no quotes, and no spreadsheet reads them as formulas. */
function csvLine(values: readonly (string | undefined)[]): string {
  return `${values.map((value = '') => value).join(',')}\r\n`;
}
