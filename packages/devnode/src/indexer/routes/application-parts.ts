import { encodeBase64 } from '@avm402/algorand/base64';
import { sameBytes } from '../../codec/bytes.ts';
import { byteStringBase64 } from '../../codec/text.ts';
import { DevnodeError, notFound, refused } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { pathUint64, queryList, queryText, queryUint64, required, type Bound } from '../../rest/parameter.ts';
import type { Json } from '../../rest/plain-json.ts';
import { route, type Route } from '../../rest/route.ts';
import { parseBoxName } from '../../rest/routes/box-name.ts';
import { idText } from '../../transaction/member.ts';
import { parseTransactionId } from '../../transaction/transaction-id.ts';
import type { ChainIndex } from '../chain-index.ts';
import type { ConfirmedTransaction } from '../confirmed-transaction.ts';
import { requireKept } from '../kept-rounds.ts';
import { LONG_PAGE, pageParameters, pageSize, parsePlaceToken, placeToken } from '../page.ts';
import { queryAddress } from '../parameters.ts';
import { searchTransactions } from '../transaction-search.ts';
import { applicationOf, transactionsWithin } from '../../transaction/inner-transactions.ts';

const applicationId = pathUint64('An application id.');

const logParameters = {
  'application-id': applicationId,
  ...pageParameters,
  txid: queryText('The id of the block’s transaction.'),
  'min-round': queryUint64('The first round.'),
  'max-round': queryUint64('The last round.'),
  'sender-address': queryAddress('The sender of the call.'),
};

/** The boxes of an application, and what it logged. */
export function applicationPartRoutes(index: ChainIndex, queries: Queries): Route[] {
  return [
    route({
      path: '/v2/applications/:application-id/boxes',
      summary: 'Boxes of an application, by the bytes of their names.',
      parameters: {
        'application-id': applicationId,
        ...pageParameters,
        include: queryList('`values`: with the boxes’ contents.'),
      },
      handle(asked) {
        const id = asked['application-id'];
        const after = asked.next === undefined ? '' : parseBoxToken(asked.next);
        const names = queries.boxes.names(id).filter((name) => after === '' || name > after);
        const page = names.slice(0, pageSize(asked, LONG_PAGE));
        const withValues = asked.include?.includes('values') === true;
        const last = page.at(-1);
        return jsonAnswer({
          'application-id': id,
          boxes: page.map((name) => boxJson(queries, { id, name, withValues })),
          'next-token': last === undefined ? undefined : `b64:${byteStringBase64(last)}`,
          round: queries.latestRound,
        });
      },
    }),
    route({
      path: '/v2/applications/:application-id/box',
      summary: 'One box of an application.',
      parameters: {
        'application-id': applicationId,
        name: required(queryText('`encoding:value`, e.g. `str:name`.')),
      },
      handle(asked) {
        const [id, round] = [asked['application-id'], queries.latestRound];
        const name = parseBoxName(asked.name);
        const content = queries.boxes.content(id, name);
        if (content !== undefined)
          return jsonAnswer({ name: byteStringBase64(name), round, value: encodeBase64(content) });
        const where = `round=${round}, appid=${id}, boxName=${byteStringBase64(name)}`;
        const what =
          queries.application(id) === undefined
            ? 'no application found for application-id'
            : 'no application boxes found';
        throw notFound(`${what}: ${where}`);
      },
    }),
    route({
      path: '/v2/applications/:application-id/logs',
      summary: 'Logs of an application, oldest first.',
      parameters: logParameters,
      handle: (asked) => logs(index, asked),
    }),
  ];
}

interface AskedBox {
  readonly id: bigint;
  readonly name: string;
  readonly withValues: boolean;
}

function boxJson(queries: Queries, { id, name, withValues }: AskedBox): Json {
  const content = withValues ? queries.boxes.content(id, name) : undefined;
  return { name: byteStringBase64(name), value: content && encodeBase64(content) };
}

function parseBoxToken(token: string): string {
  try {
    return parseBoxName(token);
  } catch (error) {
    if (!(error instanceof DevnodeError)) throw error;
    const problem = `SearchForApplicationBoxes received illegal next token (${token}): ${error.message}`;
    throw refused(problem);
  }
}

async function logs(index: ChainIndex, asked: Bound<typeof logParameters>) {
  const id = asked['application-id'];
  const [minRound, maxRound] = [asked['min-round'], asked['max-round']];
  const after = asked.next === undefined ? undefined : parsePlaceToken(asked.next);
  await index.follow();
  requireKept(index.chain, minRound, maxRound, after?.round);
  const found = await searchTransactions(index, {
    filter: (transaction) => logEntries(transaction, asked).length > 0,
    positions: asked.txid === undefined ? index.withApplication(id) : index.withId(parseTransactionId(asked.txid)),
    minRound,
    maxRound,
    newestFirst: false,
    limit: pageSize(asked, LONG_PAGE),
    after,
  });
  const last = found.at(-1);
  const entries = found.flatMap((transaction) => logEntries(transaction, asked));
  return jsonAnswer({
    'application-id': id,
    'current-round': index.chain.latest.round,
    'log-data': entries.length === 0 ? undefined : entries,
    'next-token': last && placeToken(last),
  });
}

/** An entry for each call within a transaction that logged something; all have the id of the block's transaction. */
function logEntries({ placed, txId }: ConfirmedTransaction, asked: Bound<typeof logParameters>): Json[] {
  const { 'application-id': id, 'sender-address': sender } = asked;
  return [...transactionsWithin(placed)].flatMap((call) => {
    const { logs: lines = [] } = call.evalDelta;
    if (lines.length === 0 || applicationOf(call) !== id) return [];
    if (sender !== undefined && !sameBytes(call.transaction.sender, sender)) return [];
    return [{ logs: lines.map(encodeBase64), txid: idText(txId) }];
  });
}
