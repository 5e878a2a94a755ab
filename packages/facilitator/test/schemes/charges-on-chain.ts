import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';

/** A transfer that a block holds. */
export interface ChargeOnChain {
  readonly txId: string;
  /** Atomic units. */
  readonly amount: bigint;
}

type Fields = ReadonlyMap<string, unknown>;

/** The asset transfers with this lease, base64, in all blocks: what was really settled under one authorization. */
export async function chargesOnChain(algod: AlgodClient, lease: string): Promise<ChargeOnChain[]> {
  const { lastRound } = await algod.status();
  const charges: ChargeOnChain[] = [];
  for (let round = 1n; round <= lastRound; round++) charges.push(...(await chargesIn(algod, round, lease)));
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
