import { encodeBase32 } from '@avm402/algorand/base32';
import { encodeBase64 } from '@avm402/algorand/base64';
import { DevnodeError, notFound, refused } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import type { LoggedCall, ProofHash } from '../../queries/block-documents.ts';
import { jsonAnswer, msgpackAnswer, type Answer } from '../answer.ts';
import { type Bound, pathText, pathUint64, queryBoolean, queryText } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { documentAnswer, formatParameter, parseFormat } from './format.ts';
import { parseTransactionId } from '../../transaction/transaction-id.ts';
import { TRANSACTION_NOT_FOUND } from './pending.ts';

const round = pathUint64('A round.');
const proofParameters = {
  round,
  txid: pathText('A transaction id, 52 characters.'),
  hashtype: queryText('`sha512_256` (default) or `sha256`.'),
};

/** Blocks in all their formats. */
export function blockRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/blocks/:round',
      summary: 'A block, or only its header.',
      parameters: {
        round,
        'header-only': queryBoolean('Without the transactions. Default false.'),
        format: formatParameter,
      },
      handle(parameters) {
        const format = parseFormat(parameters.format);
        const headerOnly = parameters['header-only'] ?? false;
        const block = queries.block(parameters.round, { headerOnly }) ?? noSuchBlock();
        if (format === 'json' || headerOnly) return documentAnswer(block, format);
        return msgpackAnswer(block.toMsgpack(), { 'x-algorand-struct': 'block-v1' });
      },
    }),
    route({
      path: '/v2/blocks/:round/txids',
      summary: 'Ids of a block’s transactions, in order.',
      parameters: { round },
      handle: (parameters) =>
        jsonAnswer({ blockTxids: queries.blockTransactionIds(parameters.round) ?? noSuchBlock() }),
    }),
    route({
      path: '/v2/blocks/:round/hash',
      summary: 'A block’s hash, in base32.',
      parameters: { round },
      handle: (parameters) =>
        jsonAnswer({ blockHash: encodeBase32(queries.blockHash(parameters.round) ?? noSuchBlock()) }),
    }),
    route({
      path: '/v2/blocks/:round/logs',
      summary: 'Logs of a block’s application calls.',
      parameters: { round },
      handle: (parameters) => logsAnswer(queries.blockLogs(parameters.round) ?? noSuchBlock()),
    }),
    ...proofRoutes(queries),
  ];
}

function logsAnswer(calls: readonly LoggedCall[]): Answer {
  return jsonAnswer({
    logs: calls.map(({ applicationId, logs, txId }) => ({
      'application-index': applicationId,
      logs: logs.map(encodeBase64),
      txId: encodeBase32(txId),
    })),
  });
}

function proofRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/blocks/:round/transactions/:txid/proof',
      summary: 'Proof that a transaction is in a block.',
      parameters: proofParameters,
      handle: (parameters) => proofAnswer(queries, parameters),
    }),
    route({
      path: '/v2/blocks/:round/lightheader/proof',
      summary: 'Proof of a block’s light header by a state proof: there are none on a development chain.',
      parameters: { round },
      handle: (parameters) => noStateProof(queries, parameters.round),
    }),
    route({
      path: '/v2/stateproofs/:round',
      summary: 'The state proof that covers a round: there are none on a development chain.',
      parameters: { round },
      handle: (parameters) => noStateProof(queries, parameters.round),
    }),
  ];
}

function proofAnswer(queries: Queries, parameters: Bound<typeof proofParameters>): Answer {
  const txId = parseTransactionId(parameters.txid);
  const hashtype = parseHashType(parameters.hashtype);
  const found = queries.transactionProof(parameters.round, txId, hashtype);
  if (found === undefined) {
    throw new DevnodeError('internal', 'failed to retrieve information from the ledger', { status: 500 });
  }
  if (found === null) throw notFound(TRANSACTION_NOT_FOUND);
  return jsonAnswer({
    hashtype,
    idx: found.index,
    proof: encodeBase64(found.proof),
    stibhash: encodeBase64(found.stibHash),
    treedepth: found.treeDepth,
  });
}

function parseHashType(hashtype: string | undefined): ProofHash {
  if (hashtype === undefined || hashtype === 'sha512_256') return 'sha512_256';
  if (hashtype === 'sha256') return 'sha256';
  throw refused('invalid hash type');
}

function noStateProof(queries: Queries, asked: bigint): never {
  if (asked > queries.latestRound) {
    throw new DevnodeError('internal', 'given round is greater than the latest round', { status: 500 });
  }
  throw notFound('no state proof can be found for that round');
}

function noSuchBlock(): never {
  throw notFound('failed to retrieve information from the ledger');
}
