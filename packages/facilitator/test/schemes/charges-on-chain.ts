import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@x402/core/types';

/** A transfer that a block holds. */
export interface ChargeOnChain {
  readonly txId: string;
  /** Atomic units. */
  readonly amount: bigint;
}

type Fields = ReadonlyMap<string, unknown>;

/** What an authorization says of its charges: their lease, base64, and the last round that may have one. */
interface Authorization {
  readonly lease: string;
  readonly lastValid: string;
}

/** The asset transfers with an authorization's lease in all blocks that may have one: what was really settled under it. */
export async function chargesOnChain(algod: AlgodClient, payload: PaymentPayload): Promise<ChargeOnChain[]> {
  const { lease, lastValid } = payload.payload['authorization'] as Authorization;
  const { lastRound } = await algod.status();
  const charges: ChargeOnChain[] = [];
  const firstValid = BigInt(lastValid) - MAX_WINDOW_ROUNDS;
  for (let round = firstValid > 1n ? firstValid : 1n; round <= lastRound; round++)
    charges.push(...(await chargesIn(algod, round, lease)));
  return charges;
}

async function chargesIn(algod: AlgodClient, round: bigint, lease: string): Promise<ChargeOnChain[]> {
  const txIds = await algod.blockTransactionIds(round);
  if (txIds.length === 0) return [];
  const block = (await algod.block(round)).get('block') as ReadonlyMap<string, readonly ReadonlyMap<string, Fields>[]>;
  return (block.get('txns') ?? []).flatMap((member, index) => {
    const [txId, txn] = [txIds[index], member.get('txn')];
    if (txId === undefined || txn === undefined) throw new Error(`block ${round} has other transactions than TxIDs`);
    const isCharge = txn.get('type') === 'axfer' && encodeBase64(txn.get('lx') as Uint8Array) === lease;
    // A block leaves out what is zero.
    return isCharge ? [{ txId, amount: (txn.get('aamt') ?? 0n) as bigint }] : [];
  });
}
