import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { MAX_WINDOW_ROUNDS, type Transaction } from '@avm402/algorand/transaction';
import { pooledGroup } from '../signing/pooled-group.ts';
import type { UptoPayment } from './payload.ts';
import { uptoProgram } from './upto-program.ts';

/** The part of a group that its settlement decides. */
export interface UptoCharge {
  /** Atomic units, at most the authorization's maximum. */
  readonly amount: bigint;
  /** µAlgo for each of the two members. */
  readonly fee: bigint;
}

/**
 * The two members that settle: the fee payer's payment of 0 to itself with the lease, and the transfer of the charge.
 * The same charge gives the same bytes at any time, because the window is the longest that ends with the authorization.
 */
export function uptoGroup({ payer, authorization }: UptoPayment, { amount, fee }: UptoCharge): Transaction[] {
  const { receiver, feePayer, genesisHash, token: assetId, lastValid, lease } = authorization;
  const firstValid = lastValid > MAX_WINDOW_ROUNDS ? lastValid - MAX_WINDOW_ROUNDS : 0n;
  return pooledGroup(genesisHash, { firstValid, lastValid, fee }, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n, lease },
    { type: 'axfer', sender: payer, receiver, assetId, amount, lease },
  ]);
}

/** The msgpack of the transfer, with the program and the payer's signature of it. */
export function signByAuthorization(payment: UptoPayment, txn: Transaction): Uint8Array {
  const { authorization, signature, authAddress } = payment;
  const logicSignature = encodeMsgpack({ l: uptoProgram(authorization), sig: signature });
  return encodeSignedTransaction({ txn, logicSignature, ...(authAddress !== undefined && { authAddress }) });
}
