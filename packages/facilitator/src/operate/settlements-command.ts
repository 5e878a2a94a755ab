import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { parseStoreConfig, type StoreConfig } from './config.ts';
import type { Ledger, LedgerFilter } from '../settlement/ledger.ts';
import { MAX_PAGE, parseLedgerQuery } from '../http/ledger-query.ts';
import {
  ledgerEntry,
  ledgerLine,
  SETTLEMENT_HEADING,
  TOTAL_HEADING,
  totalEntry,
  totalLine,
} from '../http/ledger-text.ts';
import { createPostgresSettlementStore } from '../stores/postgres.ts';
import { openSqliteLedger } from '../stores/sqlite-ledger.ts';
import type { Variables } from './variables.ts';

/**
 * `avm402-facilitator settlements`: writes the ledger of the configured store to standard output, even while a
 * facilitator works on the store.
 * @throws X402Error `environment_invalid`, `invalid_query`, `store_unavailable`
 */
export async function settlementsCommand(parameters: string[], variables: Variables): Promise<void> {
  const { values } = parseArgs({
    args: parameters,
    options: {
      receiver: { type: 'string', multiple: true },
      payer: { type: 'string' },
      state: { type: 'string', multiple: true },
      from: { type: 'string' },
      until: { type: 'string' },
      totals: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      config: { type: 'string' },
    },
  });
  const { totals, json, config: _file, ...asked } = values;
  const { limit: _, after: __, format: ___, ...filter } = parseLedgerQuery(asked);
  const opened = openLedger(parseStoreConfig(variables));
  const { ledger } = opened;
  try {
    const lines = totals ? totalLines(ledger, filter, json) : settlementLines(ledger, filter, json);
    await pipeline(Readable.from(lines), process.stdout, { end: false });
  } catch (error) {
    // A reader such as `head` ends the list when it has enough.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  } finally {
    await opened.close();
  }
}

function openLedger(config: StoreConfig): { readonly ledger: Ledger; close(): Promise<void> } {
  if (config.kind === 'postgres') {
    const ledger = createPostgresSettlementStore({ url: config.url });
    return { ledger, close: () => ledger.close() };
  }
  const ledger = openSqliteLedger(config.path);
  return { ledger, close: async () => ledger.close() };
}

async function* settlementLines(ledger: Ledger, filter: LedgerFilter, json: boolean): AsyncGenerator<string> {
  if (!json) yield SETTLEMENT_HEADING;
  let page = await ledger.list({ ...filter, limit: MAX_PAGE });
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const entry of page.map(ledgerEntry)) yield json ? jsonLine(entry) : ledgerLine(entry);
    page = await ledger.list({ ...filter, limit: MAX_PAGE, after: last });
  }
}

async function* totalLines(ledger: Ledger, filter: LedgerFilter, json: boolean): AsyncGenerator<string> {
  if (!json) yield TOTAL_HEADING;
  for (const entry of (await ledger.totals(filter)).map(totalEntry)) yield json ? jsonLine(entry) : totalLine(entry);
}

function jsonLine(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}
