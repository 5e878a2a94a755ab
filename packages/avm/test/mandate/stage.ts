import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { assignGroup } from '@avm402/algorand/group';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type AssetTransferTransaction, type Transaction, transactionDigest } from '@avm402/algorand/transaction';
import type { MandateConfig } from '../../src/mandate/mandate-config.ts';
import { endMandateGroup } from '../../src/mandate/mandate-groups.ts';
import { paymentEnd, slotLease } from '../../src/mandate/mandate-window.ts';
import { ANY_RECEIVER } from '../../src/mandate/receiver-tree.ts';
import { uint64Bytes } from '../../src/signing/program-template.ts';
import { type ChainStage, closer, FEE, payer, type Ruled, seller, stranger, USDC } from '../batch-settlement/stage.ts';
import type { Constants } from '../batch-settlement/template.ts';

export const owner = payer;
export const agent = accountFromSeed(new Uint8Array(32).fill(42));
export const CAP = 50_000n;

export function mandateConstants(config: MandateConfig): Constants {
  return {
    OWNER: parseAddress(config.owner),
    AGENT: parseAddress(config.agent),
    RECEIVERS: config.receivers,
    GENESIS_HASH: config.genesisHash,
    ASSET: uint64Bytes(config.asset),
    CAP: uint64Bytes(config.cap),
    SLOTS: uint64Bytes(config.slots),
    EXPIRY: uint64Bytes(config.expiry),
    SALT: config.salt,
  };
}

let salt = 0;

/** A mandate that no test had before: $0.05 a payment, six payments a window, to anybody. */
export async function mandateOn(chain: ChainStage, change: Partial<MandateConfig> = {}): Promise<MandateConfig> {
  const { lastRound, genesisHash } = await chain.algod.params();
  return {
    owner: owner.address,
    agent: agent.address,
    asset: USDC,
    cap: CAP,
    slots: 6n,
    expiry: lastRound + 5_000n,
    receivers: ANY_RECEIVER,
    genesisHash,
    salt: Uint8Array.from([...uint64Bytes(BigInt((salt += 1))), ...new Uint8Array(8)]),
    ...change,
  };
}

/** A payment of the account, with changes. */
export async function payment(chain: ChainStage, { address }: Ruled, change: Partial<AssetTransferTransaction> = {}) {
  const { lastRound, genesisHash } = await chain.algod.params();
  const transfer: AssetTransferTransaction = {
    type: 'axfer',
    sender: address,
    receiver: seller.address,
    assetId: USDC,
    amount: 10_000n,
    fee: 0n,
    firstValid: lastRound,
    lastValid: paymentEnd(lastRound, 20n),
    genesisHash,
    lease: slotLease(1n),
    ...change,
  };
  return transfer;
}

/** A zero payment that pays the fees of its whole group. */
export function feeBy({ address }: Account, { firstValid, lastValid, genesisHash }: Transaction): Transaction {
  const header = { firstValid, lastValid, genesisHash };
  return { ...header, type: 'pay', fee: 10n * FEE, sender: address, receiver: address, amount: 0n };
}

/** The group that ends a mandate, about the account of any program. */
export async function ending(chain: ChainStage, config: MandateConfig, { address }: Ruled, by = owner) {
  const { genesisHash } = await chain.algod.params();
  const [, close] = endMandateGroup({ ...config, genesisHash }, await chain.terms(), by.address);
  if (close?.type !== 'axfer') throw new Error('not an ending group');
  const { group: _, ...member } = close;
  return { ...member, sender: address };
}

const keys = [payer, seller, closer, stranger];

/** Who signs what leaves the account. */
export interface AgentSigning {
  readonly ruled: Ruled;
  readonly agent?: Account;
  readonly path?: Uint8Array | undefined;
}

/** The members' msgpack, as one group: the program signs for its account, and others with their keys. */
export function signedBy(members: readonly Transaction[], signing: AgentSigning): Uint8Array[] {
  const bare = members.map((txn): Transaction => {
    const { group: _, ...member } = txn;
    return member;
  });
  return (bare.length === 1 ? bare : assignGroup(bare)).map((txn) => {
    if (txn.sender === signing.ruled.address) return signedByProgram(txn, signing);
    const key = keys.find(({ address }) => address === txn.sender);
    if (key === undefined) throw new Error(`nobody signs for ${txn.sender}`);
    return key.signTransaction(txn);
  });
}

function signedByProgram(txn: Transaction, { ruled, agent: key = agent, path }: AgentSigning): Uint8Array {
  const arg = [key.sign(transactionDigest(txn)), ...(path === undefined ? [] : [path])];
  return encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ arg, l: ruled.program }) });
}

/** What the chain would say of the group; undefined if it would take it. */
export async function refusalOf(chain: ChainStage, members: readonly Transaction[], signing: AgentSigning) {
  const { wouldSucceed, failureMessage } = await chain.algod.simulate({ transactions: signedBy(members, signing) });
  return wouldSucceed ? undefined : (failureMessage ?? 'without a reason');
}
