import { decodeBlock, txIdsOf, type StoredBlock } from '../block/block-store.ts';
import { pathInArray, pathInVector, stibHash, type CommittedTransaction } from '../block/merkle-array.ts';
import { sameBytes } from '../codec/bytes.ts';
import { document, encode } from '../codec/document.ts';
import { blockAnswer, blockWithCertificate, headerAnswer, type Block } from '../codec/schema/block.ts';
import { transactionInBlock } from '../codec/schema/signed-transaction.ts';
import { sha256, sha512_256 } from '@avm402/algorand/hash';
import type { Document, ProofHash, TransactionProof } from '../node.ts';
import { groupMember } from '../verify/member.ts';
import { restoreGenesis } from './pending-answers.ts';

/** A block or its header; the block in msgpack comes with its certificate. */
export function blockDocument(stored: StoredBlock, { headerOnly }: { readonly headerOnly: boolean }): Document {
  const block = decodeBlock(stored);
  if (headerOnly) return document(headerAnswer, { block });
  return {
    toJson: () => document(blockAnswer, { block }).toJson(),
    toMsgpack: () => encode(blockWithCertificate, { block, certificate: { round: block.round } }),
  };
}

/** The proof that a transaction is in a block; null when it is not. */
export function transactionProof(stored: StoredBlock, txId: Uint8Array, hash: ProofHash): TransactionProof | null {
  const index = txIdsOf(stored).findIndex((id) => sameBytes(id, txId));
  if (index === -1) return null;
  const committed = committedTransactions(decodeBlock(stored));
  const path = hash === 'sha256' ? pathInVector(committed, index) : pathInArray(committed, index);
  const encoded = committed[index]?.encoded ?? new Uint8Array();
  return {
    index,
    treeDepth: path.treeDepth,
    proof: path.siblings,
    stibHash: stibHash(encoded, hash === 'sha256' ? sha256 : sha512_256),
  };
}

function committedTransactions(block: Block): CommittedTransaction[] {
  return (block.transactions ?? []).map((placed) => {
    const { message, txId } = groupMember(restoreGenesis(placed, block));
    return { message, txId, encoded: encode(transactionInBlock, placed) };
  });
}
