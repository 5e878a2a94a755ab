import { notFound, refused } from '../../errors.ts';
import { jsonAnswer, type Answer } from '../../rest/answer.ts';
import { pathAddress, pathText, pathUint64 } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';
import { parseTransactionId } from '../../transaction/transaction-id.ts';
import type { ChainIndex, Positions } from '../chain-index.ts';
import { confirmedTransaction } from '../confirmed-transaction.ts';
import { goneBlocks, requireKept } from '../kept-rounds.ts';
import { LONG_PAGE, pageSize, parsePlaceToken, placeToken } from '../page.ts';
import {
  commonParameters,
  searchParameters,
  transactionFilter,
  type TransactionCriteria,
} from '../transaction-filter.ts';
import { transactionJson } from '../transaction-json.ts';
import { searchTransactions } from '../transaction-search.ts';

/** The list of an account’s own transactions does not take its role. */
const ANY_ROLE = { 'address-role': undefined, 'exclude-close-to': undefined };

/** Searches for transactions. Those of an account come newest first, others oldest first. */
export function transactionRoutes(index: ChainIndex): Route[] {
  return [
    route({
      path: '/v2/transactions',
      summary: 'Transactions, newest first with `address`, else oldest first.',
      parameters: searchParameters,
      handle: (asked) => page(index, asked),
    }),
    route({
      path: '/v2/accounts/:account-id/transactions',
      summary: 'Transactions of an account, newest first.',
      parameters: { 'account-id': pathAddress(), ...commonParameters },
      handle: (asked) => page(index, { ...asked, address: asked['account-id'], ...ANY_ROLE }),
    }),
    route({
      path: '/v2/assets/:asset-id/transactions',
      summary: 'Transactions of an asset, newest first with `address`, else oldest first.',
      parameters: { ...searchParameters, 'asset-id': pathUint64('An asset id.') },
      handle: (asked) => page(index, asked),
    }),
    route({
      path: '/v2/transactions/:txid',
      summary: 'One transaction.',
      parameters: { txid: pathText('A transaction id, 52 characters.') },
      handle: ({ txid }) => one(index, txid),
    }),
  ];
}

async function one(index: ChainIndex, txid: string): Promise<Answer> {
  await index.follow();
  const position = index.withId(parseTransactionId(txid)).at(0);
  const found = position === undefined ? undefined : confirmedTransaction(index.chain, index.place(position));
  if (found) return jsonAnswer({ 'current-round': index.chain.latest.round, transaction: transactionJson(found) });
  throw notFound(`no transaction found for transaction id: ${txid}${goneBlocks(index.chain)}`);
}

async function page(index: ChainIndex, asked: TransactionCriteria): Promise<Answer> {
  const search = {
    ...roundsOf(asked),
    filter: transactionFilter(asked),
    newestFirst: asked.address !== undefined,
    limit: pageSize(asked, LONG_PAGE),
    after: asked.next === undefined ? undefined : parsePlaceToken(asked.next),
  };
  await index.follow();
  requireKept(index.chain, asked.round, asked['min-round'], asked['max-round']);
  if (!search.newestFirst) requireKept(index.chain, search.after?.round);
  const found = await searchTransactions(index, { ...search, positions: positionsOf(index, asked) });
  const last = found.at(-1);
  return jsonAnswer({
    'current-round': index.chain.latest.round,
    'next-token': last && placeToken(last),
    transactions: found.map(transactionJson),
  });
}

/** The narrowest selection that holds all matches; the filter does the rest. */
function positionsOf(index: ChainIndex, asked: TransactionCriteria): Positions {
  if (asked.txid !== undefined) return index.withId(parseTransactionId(asked.txid));
  const assetId = asked['asset-id'] ?? 0n;
  if (assetId !== 0n) return index.withAsset(assetId);
  const applicationId = asked['application-id'] ?? 0n;
  if (applicationId !== 0n) return index.withApplication(applicationId);
  return asked.address === undefined ? index.all : index.withParticipant(asked.address);
}

function roundsOf({ round, 'min-round': minRound, 'max-round': maxRound }: TransactionCriteria) {
  if (round === undefined) {
    const isReversed = minRound !== undefined && maxRound !== undefined && minRound > maxRound;
    if (isReversed) throw refused('min-round must be less than max-round');
    return { minRound, maxRound };
  }
  if (minRound !== undefined || maxRound !== undefined) throw refused('cannot specify round and min-round/max-round');
  return { minRound: round, maxRound: round };
}
