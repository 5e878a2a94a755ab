import type { AssetTransferTransaction, Transaction } from '@avm402/algorand/transaction';
import { transactionDigest } from '@avm402/algorand/transaction';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { ASSET_ACCOUNT_MINIMUM, type GroupTerms, pooledGroup } from '../signing/pooled-group.ts';
import { mandateAddress, type MandateConfig, mandateProgram } from './mandate-config.ts';

/** What the owner gives a mandate. */
export interface MandateFunds {
  /** Atomic units of the asset. */
  readonly amount: bigint;
  /** µAlgo besides the minimum balance, for payments whose fee no sponsor pays. Default: none. */
  readonly feeReserve?: bigint;
}

/**
 * The three members that open a mandate: the ALGO of its account, its opt-in, and its funds. The owner signs the first
 * and the last, and the program the second.
 */
export function openMandateGroup(config: MandateConfig, funds: MandateFunds, terms: GroupTerms): Transaction[] {
  const { owner, asset: assetId, genesisHash } = config;
  const mandate = mandateAddress(config);
  const microAlgos = ASSET_ACCOUNT_MINIMUM + (funds.feeReserve ?? 0n);
  return pooledGroup(genesisHash, terms, [
    { type: 'pay', sender: owner, receiver: mandate, amount: microAlgos },
    { type: 'axfer', sender: mandate, receiver: mandate, assetId, amount: 0n },
    { type: 'axfer', sender: owner, receiver: mandate, assetId, amount: funds.amount },
  ]);
}

/** The two members that add to a mandate's funds: ALGO for fees, if any, and the transfer. The owner signs both. */
export function addToMandateGroup(config: MandateConfig, funds: MandateFunds, terms: GroupTerms): Transaction[] {
  const { owner, asset: assetId, genesisHash } = config;
  const mandate = mandateAddress(config);
  return pooledGroup(genesisHash, terms, [
    { type: 'pay', sender: owner, receiver: mandate, amount: funds.feeReserve ?? 0n },
    { type: 'axfer', sender: owner, receiver: mandate, assetId, amount: funds.amount },
  ]);
}

/**
 * The three members that end a mandate and return everything to its owner. The first, which pays the fee, is the
 * owner's; after the expiry it may be anybody's. Its sender signs it, and the program the others.
 * @param feePayer - default: the owner
 */
export function endMandateGroup(config: MandateConfig, terms: GroupTerms, feePayer = config.owner): Transaction[] {
  const { owner, asset: assetId, genesisHash } = config;
  const sender = mandateAddress(config);
  return pooledGroup(genesisHash, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender, receiver: owner, assetId, amount: 0n, assetCloseTo: owner },
    { type: 'pay', sender, receiver: owner, amount: 0n, closeRemainderTo: owner },
  ]);
}

/** The msgpack of a member that leaves the mandate and needs no signature of the agent: an opt-in, or a part of its end. */
export function signByMandate(config: MandateConfig, txn: Transaction): Uint8Array {
  return encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ l: mandateProgram(config) }) });
}

/** The agent's key. */
export interface AgentKey {
  /** The Ed25519 signature of these bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/**
 * The msgpack of a payment that the agent signs.
 * @param path - of the receiver in the tree; absent if the mandate may pay anybody
 */
export function signMandatePayment(
  config: MandateConfig,
  txn: AssetTransferTransaction,
  { agent, path }: { readonly agent: AgentKey; readonly path?: Uint8Array },
): Uint8Array {
  const args = [agent.sign(transactionDigest(txn)), ...(path === undefined ? [] : [path])];
  return encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ arg: args, l: mandateProgram(config) }) });
}
