import { pathInArray, pathInVector, stibHash, type CommittedTransaction } from '../block/merkle-array.ts';
import { sameBytes } from '../codec/bytes.ts';
import { document, type Document, encode } from '../codec/document.ts';
import { blockAnswer, blockWithCertificate, headerAnswer, type Block } from '../codec/schema/block.ts';
import { NO_EFFECTS } from '../codec/schema/apply-data.ts';
import { transactionInBlock } from '../codec/schema/signed-transaction.ts';
import { sha256, sha512_256 } from '@avm402/algorand/hash';
import { applicationOf, transactionsWithin } from '../transaction/inner-transactions.ts';
import { groupMember } from '../transaction/member.ts';
import { restoreGenesis } from './pending-transactions.ts';

export type ProofHash = 'sha512_256' | 'sha256';

/** Proof that a transaction is in a block: a path in the block's Merkle array (sha512_256) or vector commitment (sha256). */
export interface TransactionProof {
  readonly index: number;
  readonly treeDepth: number;
  /** The siblings from leaf to root, one after another. */
  readonly proof: Uint8Array;
  /** Hash of the transaction as it is written in the block. */
  readonly stibHash: Uint8Array;
}

/** A block or its header; the block in msgpack comes with its certificate. */
export function blockDocument(block: Block, { headerOnly }: { readonly headerOnly: boolean }): Document {
  if (headerOnly) return document(headerAnswer, { block });
  return {
    toJson: () => document(blockAnswer, { block }).toJson(),
    toMsgpack: () => encode(blockWithCertificate, { block, certificate: { round: block.round } }),
  };
}

/** The proof that a transaction is in a block; null when it is not. */
export function transactionProof(block: Block, txId: Uint8Array, hash: ProofHash): TransactionProof | null {
  const committed = committedTransactions(block);
  const index = committed.findIndex((each) => sameBytes(each.txId, txId));
  const found = committed[index];
  if (found === undefined) return null;
  const path = hash === 'sha256' ? pathInVector(committed, index) : pathInArray(committed, index);
  return {
    index,
    treeDepth: path.treeDepth,
    proof: path.siblings,
    stibHash: stibHash(found.encoded, hash === 'sha256' ? sha256 : sha512_256),
  };
}

function committedTransactions(block: Block): CommittedTransaction[] {
  return (block.transactions ?? []).map((placed) => {
    const { message, txId } = groupMember(restoreGenesis(placed, block));
    return { message, txId, encoded: encode(transactionInBlock, placed) };
  });
}

/** A call that logged something. */
export interface LoggedCall {
  readonly applicationId: bigint;
  readonly logs: readonly Uint8Array[];
  /** The id of the block's transaction from which it came. */
  readonly txId: Uint8Array;
}

/** The calls of a block that logged something, inner ones after their callers. */
export function loggedCalls(block: Block): LoggedCall[] {
  return (block.transactions ?? []).flatMap((placed) => {
    if (NO_EFFECTS === placed.evalDelta) return [];
    const { txId } = groupMember(restoreGenesis(placed, block));
    return [...transactionsWithin(placed)].flatMap((call) => {
      const { logs = [] } = call.evalDelta;
      return logs.length === 0 ? [] : [{ applicationId: applicationOf(call), logs, txId }];
    });
  });
}
