import { accountFromSeed, parseAccount, type Account } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import { TESTNET } from '@avm402/algorand/networks';
import type { Transaction } from '@avm402/algorand/transaction';
import { merchant, type BenchNode } from './node.ts';
import type { Payer } from './payers.ts';

type TransactionKind = 'pay' | 'axfer';

export interface GroupOptions {
  readonly kind: TransactionKind;
  /** Transactions of a group. */
  readonly size: number;
  /** Groups wanted; a round may pass with each, so that 900 are valid at most. */
  readonly count: number;
  /** Where each transaction's money goes; default: to the merchant. */
  readonly receiverOf?: (transaction: number) => string;
}

const GENESIS_HASH = Buffer.from(TESTNET.genesisHash, 'base64');

/** Signed groups ready to be submitted, each different from all others. */
export async function signedGroups(
  node: BenchNode,
  accounts: readonly Payer[],
  { kind, size, count, receiverOf = () => merchant.address }: GroupOptions,
): Promise<readonly Uint8Array[]> {
  const { lastRound } = await node.algod.params();
  const signers = accounts.map(({ privateKey }) => parseAccount(privateKey));
  return Array.from({ length: count }, (_, index) => {
    const account = signers[index % signers.length] ?? accountFromSeed(new Uint8Array(32));
    const members = Array.from({ length: size }, (__, member) =>
      transaction(account, receiverOf(index * size + member), { kind, lastRound, nonce: index * size + member }),
    );
    const group = size === 1 ? members : assignGroup(members);
    return Buffer.concat(group.map((txn) => account.signTransaction(txn)));
  });
}

interface Varying {
  readonly kind: TransactionKind;
  readonly lastRound: bigint;
  readonly nonce: number;
}

function transaction(account: Account, receiver: string, { kind, lastRound, nonce }: Varying): Transaction {
  const note = new Uint8Array(16);
  new DataView(note.buffer).setBigUint64(0, lastRound);
  new DataView(note.buffer).setUint32(8, nonce);
  const header = {
    sender: account.address,
    fee: 1000n,
    firstValid: lastRound,
    lastValid: lastRound + 1000n,
    genesisId: TESTNET.genesisId,
    genesisHash: GENESIS_HASH,
    note,
  };
  return kind === 'pay'
    ? { ...header, type: 'pay', receiver, amount: 100_000n }
    : { ...header, type: 'axfer', receiver, assetId: TESTNET.usdcAssetId, amount: 1n };
}
