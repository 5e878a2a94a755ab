import { notFound } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import type { Answer } from '../answer.ts';
import { pathAddress, pathText, queryUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { documentAnswer, formatParameter, parseFormat } from './format.ts';
import { parseTransactionId } from '../../transaction/transaction-id.ts';

/** algod's answer for a transaction that it does not know, or no longer knows. */
export const TRANSACTION_NOT_FOUND =
  'could not find the transaction in the transaction pool or in the last 1000 confirmed rounds';

const max = queryUint64('How many transactions at most; 0 or absent: all.');

/** The pool, and the status of a single transaction. */
export function pendingRoutes(queries: Queries): Route[] {
  const listing = (options: { max: bigint | undefined; format: string | undefined; address?: Uint8Array }): Answer => {
    const format = parseFormat(options.format);
    const { address } = options;
    return documentAnswer(queries.pendingTransactions({ max: options.max ?? 0n, ...(address && { address }) }), format);
  };
  return [
    route({
      path: '/v2/transactions/pending',
      summary: 'Transactions in the pool, in order of arrival.',
      parameters: { max, format: formatParameter },
      handle: (parameters) => listing(parameters),
    }),
    route({
      path: '/v2/accounts/:address/transactions/pending',
      summary: 'An account’s transactions in the pool: those that take something from it or give something to it.',
      parameters: { address: pathAddress(), max, format: formatParameter },
      handle: (parameters) => listing(parameters),
    }),
    route({
      path: '/v2/transactions/pending/:txid',
      summary: 'A transaction in a block of the last 1000 rounds, in the pool, or dropped from it.',
      parameters: { txid: pathText('A transaction id, 52 characters.'), format: formatParameter },
      handle({ txid, format }) {
        const known = queries.pendingTransaction(parseTransactionId(txid));
        if (!known) throw notFound(TRANSACTION_NOT_FOUND);
        return documentAnswer(known, parseFormat(format));
      },
    }),
  ];
}
