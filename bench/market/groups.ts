import { type Account, parseAccount } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import { TESTNET } from '@avm402/algorand/networks';
import type { Transaction } from '@avm402/algorand/transaction';
import { postAll, type LoadResult } from '../measure/load.ts';
import type { BenchNode } from './node.ts';
import { merchant, payers } from './accounts.ts';

/** Groups that are submitted at the same time. */
const CONCURRENCY = 16;

/** The authorization of a transaction in the name of an account. */
export type Sign = (account: Account, transaction: Transaction) => Uint8Array;

const byKey: Sign = (account, transaction) => account.signTransaction(transaction);

/** One unit of USDC for the merchant; the note tells it from all others. */
export function transfer(sender: string, round: bigint, note: string): Transaction {
  return {
    type: 'axfer',
    sender,
    fee: 1000n,
    firstValid: round,
    lastValid: round + 1000n,
    genesisId: TESTNET.genesisId,
    genesisHash: Buffer.from(TESTNET.genesisHash, 'base64'),
    note: Buffer.from(note),
    receiver: merchant.address,
    assetId: TESTNET.usdcAssetId,
    amount: 1n,
  };
}

/** Signed groups of `size` transfers; no two are alike. With instant blocks 900 are valid at most. */
export async function signedGroups(node: BenchNode, size: number, count: number, sign = byKey): Promise<Uint8Array[]> {
  const { lastRound } = await node.algod.params();
  const accounts = payers.slice(0, CONCURRENCY).map(({ privateKey }) => parseAccount(privateKey));
  return Array.from({ length: count }, (_, index) => accounts[index % accounts.length]).map((account, index) => {
    if (account === undefined) throw new TypeError('no account');
    const members = Array.from({ length: size }, (_, member) =>
      transfer(account.address, lastRound, `${lastRound} ${index} ${member}`),
    );
    return Buffer.concat((size === 1 ? members : assignGroup(members)).map((txn) => sign(account, txn)));
  });
}

/** Submits each group; the node must take all. */
export function submit(node: BenchNode, path: string, groups: readonly Uint8Array[]): Promise<LoadResult> {
  return postAll({
    url: `${node.url}${path}`,
    workers: CONCURRENCY,
    bodies: groups,
    headers: { 'Content-Type': 'application/x-binary', 'X-Algo-API-Token': node.environment.ALGOD_TOKEN },
    check: (status, text) => {
      if (status !== 200) throw new Error(`HTTP ${status} ${text}`);
    },
  });
}
