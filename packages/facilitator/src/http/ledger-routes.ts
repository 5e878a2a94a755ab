import { X402Error } from '@avm402/core/errors';
import type { FastifyInstance } from 'fastify';
import { assertReceiver, type Caller } from '../callers/callers.ts';
import { encodeCursor, type Ledger, type LedgerFilter } from '../settlement/ledger.ts';
import { ledgerQuery, parseLedgerQuery } from './ledger-query.ts';
import { ledgerEntry, ledgerLine, SETTLEMENT_HEADING, TOTAL_HEADING, totalEntry, totalLine } from './ledger-text.ts';
import { FORBIDDEN, INVALID, ok } from './openapi/operation.ts';

const CSV = 'text/csv; charset=utf-8';

const PAGE = {
  needs: 'caller',
  summary: 'The ledger, from the latest settlement to the first',
  query: ledgerQuery,
  answers: [{ ...ok('A page', 'LedgerPage'), media: ['text/csv'] }, INVALID, ...FORBIDDEN],
} as const;

const TOTALS = {
  needs: 'caller',
  summary: 'Sums of what was confirmed, by day, network and asset',
  query: ledgerQuery,
  answers: [{ ...ok('The sums', 'LedgerTotals'), media: ['text/csv'] }, INVALID, ...FORBIDDEN],
} as const;

/**
 * `GET /settlements` and `/settlements/totals`. An operator reads everything, a seller the payments to its receivers.
 * If there are no callers, everyone reads everything.
 */
export function addLedgerRoutes(app: FastifyInstance, ledger: Ledger): void {
  app.get('/settlements', { config: PAGE }, async ({ query, caller }, reply) => {
    const { format, limit, ...wanted } = parseLedgerQuery(query);
    // One row more than requested shows whether there are more.
    const found = await ledger.list({ ...wanted, ...allowed(caller, wanted), limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const cursor = found.length > limit && last !== undefined ? encodeCursor(last) : undefined;
    const entries = page.map(ledgerEntry);
    if (format === 'json') return { settlements: entries, ...(cursor !== undefined && { cursor }) };
    if (cursor !== undefined) reply.header('Next-Cursor', cursor);
    return reply.type(CSV).send(SETTLEMENT_HEADING + entries.map(ledgerLine).join(''));
  });

  app.get('/settlements/totals', { config: TOTALS }, async ({ query, caller }, reply) => {
    const { format, limit: _, after: __, ...wanted } = parseLedgerQuery(query);
    const totals = (await ledger.totals({ ...wanted, ...allowed(caller, wanted) })).map(totalEntry);
    if (format === 'json') return { totals };
    return reply.type(CSV).send(TOTAL_HEADING + totals.map(totalLine).join(''));
  });
}

/**
 * The requested receivers, restricted to those that a caller may see.
 * @throws X402Error `receiver_not_allowed`, `operator_only`
 */
function allowed(caller: Caller | undefined, { receivers }: LedgerFilter): LedgerFilter {
  // If there are callers, nobody gets here without a key (admission.ts).
  if (caller === undefined || caller.operator) return {};
  // A key for any receiver does not open everybody's records.
  if (caller.receivers === undefined) throw new X402Error('operator_only');
  for (const receiver of receivers ?? []) assertReceiver(caller, receiver);
  return { receivers: receivers ?? caller.receivers };
}
