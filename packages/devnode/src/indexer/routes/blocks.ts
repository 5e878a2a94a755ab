import { setImmediate as otherEvents } from 'node:timers/promises';
import { addressOr } from '../../codec/address-text.ts';
import type { BlockHeader } from '../../codec/schema/block.ts';
import { notFound, refused } from '../../errors.ts';
import type { Chain } from '../../ledger/chain.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { type Bound, pathUint64, queryBoolean, queryList, queryUint64 } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';
import { sameBytes } from '../../codec/bytes.ts';
import { blockJson } from '../block-json.ts';
import { blockIsGone, confirmedTransaction } from '../confirmed-transaction.ts';
import { goneBlocks, requireKept } from '../kept-rounds.ts';
import { ENTRY_PAGE, pageParameters, pageSize, parseIdToken } from '../page.ts';
import { queryTime, unsupported } from '../parameters.ts';
import { transactionsWithin } from '../../transaction/inner-transactions.ts';
import { transactionJson } from '../transaction-json.ts';

/** How many headers are examined before other events get their turn. */
const LOOKED_AT_ONCE = 1000n;

const searchParameters = {
  ...pageParameters,
  'min-round': queryUint64('The first round.'),
  'max-round': queryUint64('The last round.'),
  'before-time': queryTime('Made before a time of RFC 3339.'),
  'after-time': queryTime('Made after a time of RFC 3339.'),
  expired: queryList('Blocks in which the expired keys of one of these accounts took it offline.'),
  absent: unsupported('nobody is suspended on a development chain'),
  proposers: unsupported('blocks of a development chain have no proposer'),
};

/** Blocks and their headers. */
export function blockRoutes(chain: Chain): Route[] {
  return [
    route({
      path: '/v2/blocks/:round-number',
      summary: 'A block with its transactions.',
      parameters: {
        'round-number': pathUint64('A round.'),
        'header-only': queryBoolean('Without the transactions. Default false.'),
      },
      handle({ 'round-number': round, 'header-only': headerOnly }) {
        const header = chain.blocks.header(round);
        if (header !== undefined)
          return jsonAnswer(headerOnly === true ? blockJson(header) : wholeBlock(chain, header));
        throw notFound(`error while looking up block for round '${round}': block not found${goneBlocks(chain)}`);
      },
    }),
    route({
      path: '/v2/block-headers',
      summary: 'Headers of blocks, by round.',
      parameters: searchParameters,
      async handle(asked) {
        const found = await searchHeaders(chain, asked);
        return jsonAnswer({
          blocks: found.map((header) => blockJson(header)),
          'current-round': chain.latest.round,
          'next-token': found.at(-1)?.round.toString(),
        });
      },
    }),
  ];
}

function wholeBlock(chain: Chain, header: BlockHeader) {
  const { round } = header;
  const count = chain.blocks.txIds(round)?.length ?? 0;
  let offset = 0;
  const transactions = Array.from({ length: count }, (_, index) => {
    const transaction = confirmedTransaction(chain, { round, index, offset }) ?? blockIsGone();
    offset += [...transactionsWithin(transaction.placed)].length;
    return transactionJson(transaction);
  });
  return blockJson(header, transactions);
}

async function searchHeaders(chain: Chain, asked: Bound<typeof searchParameters>): Promise<BlockHeader[]> {
  const expired = asked.expired?.map((text) => addressOr(text, () => refused(`unable to parse address: ${text}`)));
  const { oldest } = chain.blocks;
  const after = asked.next === undefined ? oldest - 1n : parseIdToken(asked.next);
  const minRound = asked['min-round'] ?? oldest;
  requireKept(chain, after + 1n, minRound, asked['max-round']);
  const limit = pageSize(asked, ENTRY_PAGE);
  const maxRound = asked['max-round'] ?? chain.latest.round;
  const found: BlockHeader[] = [];
  for (let round = minRound > after ? minRound : after + 1n; round <= maxRound && found.length < limit; round++) {
    const header = chain.blocks.header(round);
    if (header === undefined) break;
    if (isInTime(header, asked) && isAboutAny(header, expired)) found.push(header);
    if (round % LOOKED_AT_ONCE === 0n) await letOthersGo(chain, round);
  }
  return found;
}

/** Gives other events their turn. @throws DevnodeError 503 if they put the chain back before this round */
async function letOthersGo({ blocks }: Chain, round: bigint): Promise<void> {
  const hash = blocks.hash(round) ?? blockIsGone();
  await otherEvents();
  if (!sameBytes(hash, blocks.hash(round) ?? blockIsGone())) blockIsGone();
}

function isInTime(
  { timestamp }: BlockHeader,
  { 'after-time': after, 'before-time': before }: Bound<typeof searchParameters>,
): boolean {
  const time = Number(timestamp);
  return (after === undefined || time > after) && (before === undefined || time < before);
}

function isAboutAny({ expiredAccounts = [] }: BlockHeader, accounts: readonly Uint8Array[] | undefined): boolean {
  if (accounts === undefined) return true;
  return expiredAccounts.some((expired) => accounts.some((account) => sameBytes(account, expired)));
}
