import { parseAddress } from '@avm402/algorand/address';
import { assignGroup } from '@avm402/algorand/group';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction, TransactionHeader } from '@avm402/algorand/transaction';
import { uint64Bytes } from '../signing/program-template.ts';
import type { ChannelConfig } from './channel-config.ts';
import { channelId, channelProgram } from './channel-program.ts';
import type { Voucher } from './voucher.ts';

/** The minimum balance in µAlgo of an account with one asset (0.1 Algo for the account and 0.1 for the asset). */
export const CHANNEL_MINIMUM_BALANCE = 200_000n;

/** The validity window of a group and the fee of its members; the first member pays for all. */
export interface GroupTerms {
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly genesisId?: string;
  /** µAlgo for each member. */
  readonly fee: bigint;
}

type Draft<T> = T extends unknown ? Omit<T, 'fee' | 'firstValid' | 'lastValid' | 'genesisId' | 'genesisHash'> : never;

/** The four members that open a channel: the fee, the ALGO of the account, its opt-in, and the deposit. */
export function openingGroup(
  config: ChannelConfig,
  { feePayer, deposit }: { readonly feePayer: string; readonly deposit: bigint },
  terms: GroupTerms,
): Transaction[] {
  const channel = channelId(config);
  const { payer, funder, token: assetId } = config;
  return group(config, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'pay', sender: funder, receiver: channel, amount: CHANNEL_MINIMUM_BALANCE },
    { type: 'axfer', sender: channel, receiver: channel, assetId, amount: 0n },
    { type: 'axfer', sender: payer, receiver: channel, assetId, amount: deposit },
  ]);
}

/** The two members that add to a channel's deposit: the fee and the transfer. */
export function toppingUpGroup(
  config: ChannelConfig,
  { feePayer, deposit }: { readonly feePayer: string; readonly deposit: bigint },
  terms: GroupTerms,
): Transaction[] {
  const { payer, token: assetId } = config;
  return group(config, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender: payer, receiver: channelId(config), assetId, amount: deposit },
  ]);
}

/** The three members that close a channel: the closer's fee with the channel as its lease, the claim, and the ALGO. */
export function closingGroup(config: ChannelConfig, amount: bigint, terms: GroupTerms): Transaction[] {
  const { payer, receiver, funder, token: assetId } = config;
  const sender = channelId(config);
  return group(config, terms, [
    closerFee(config),
    { type: 'axfer', sender, receiver, assetId, amount, assetCloseTo: payer },
    { type: 'pay', sender, receiver: funder, amount: 0n, closeRemainderTo: funder },
  ]);
}

/**
 * The two members that close a channel whose payer can't receive the asset because it has opted out or is frozen. The
 * claim hands the account to the payer, with the rest of the asset and the ALGO. The payer can't prevent it.
 */
export function handingOverGroup(config: ChannelConfig, amount: bigint, terms: GroupTerms): Transaction[] {
  const { payer, receiver, token: assetId } = config;
  const claim = { type: 'axfer', sender: channelId(config), receiver, assetId, amount, rekeyTo: payer } as const;
  return group(config, terms, [closerFee(config), claim]);
}

/**
 * The three members that return everything to the payer after the expiry. Anybody may send them, and the sender pays
 * the fee.
 */
export function refundGroup(config: ChannelConfig, feePayer: string, terms: GroupTerms): Transaction[] {
  const { payer, funder, token: assetId } = config;
  const sender = channelId(config);
  return group(config, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender, receiver: payer, assetId, amount: 0n, assetCloseTo: payer },
    { type: 'pay', sender, receiver: funder, amount: 0n, closeRemainderTo: funder },
  ]);
}

/** Without the lease, a claim could be smuggled into a group that the closer signs for another reason. */
function closerFee(config: ChannelConfig): Draft<Transaction> {
  const sender = config.receiverAuthorizer;
  return { type: 'pay', sender, receiver: sender, amount: 0n, lease: parseAddress(channelId(config)) };
}

function group(config: ChannelConfig, terms: GroupTerms, drafts: readonly Draft<Transaction>[]): Transaction[] {
  const { firstValid, lastValid, genesisId, fee } = terms;
  const header: Omit<TransactionHeader, 'sender'> = {
    firstValid,
    lastValid,
    ...(genesisId !== undefined && { genesisId }),
    genesisHash: config.genesisHash,
    fee: 0n,
  };
  const members = drafts.map((draft, index): Transaction => ({
    ...header,
    ...draft,
    fee: index === 0 ? fee * BigInt(drafts.length) : 0n,
  }));
  return assignGroup(members);
}

/**
 * The msgpack of a member that moves funds out of the channel. Claiming an amount needs a voucher for at least that
 * amount.
 */
export function signByChannel(config: ChannelConfig, txn: Transaction, voucher?: Voucher): Uint8Array {
  const args = voucher && [voucher.signature, uint64Bytes(voucher.maxClaimableAmount)];
  const logicSignature = encodeMsgpack({ ...(args && { arg: args }), l: channelProgram(config) });
  return encodeSignedTransaction({ txn, logicSignature });
}
