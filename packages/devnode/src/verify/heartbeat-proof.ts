import { bytes32 } from '../codec/bytes.ts';
import { encodeWithPrefix } from '../codec/document.ts';
import { uint64 } from '../codec/integer.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { field, Struct } from '../codec/struct.ts';
import type { SignedMessage } from './known-signatures.ts';

const BATCH_KEY_PREFIX = Buffer.from('OT1');
const OFFSET_KEY_PREFIX = Buffer.from('OT2');
const SEED_PREFIX = Buffer.from('SD');

const batchKey = new Struct({ publicKey: field('pk', bytes32), batch: field('batch', uint64) });
const offsetKey = new Struct({
  publicKey: field('pk', bytes32),
  batch: field('batch', uint64),
  offset: field('off', uint64),
});

/** Adds the three signatures of a heartbeat's one-time proof to the batch (go-algorand crypto/onetimesig.go). */
export function addHeartbeatProof({ heartbeat, lastValid }: Transaction, batch: SignedMessage[]): void {
  if (heartbeat === undefined) return;
  const { proof, voteId, seed, keyDilution } = heartbeat;
  const position = { batch: lastValid / keyDilution, offset: lastValid % keyDilution };
  const batchMessage = encodeWithPrefix(BATCH_KEY_PREFIX, batchKey, { publicKey: proof.key2, batch: position.batch });
  const offsetMessage = encodeWithPrefix(OFFSET_KEY_PREFIX, offsetKey, { publicKey: proof.key, ...position });
  batch.push(
    { publicKey: voteId, message: batchMessage, signature: proof.key2Signature },
    { publicKey: proof.key2, message: offsetMessage, signature: proof.key1Signature },
    { publicKey: proof.key, message: Buffer.concat([SEED_PREFIX, seed]), signature: proof.signature },
  );
}
