import { parseAddress } from '@avm402/algorand/address';
import { assignGroup } from '@avm402/algorand/group';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction, TransactionHeader } from '@avm402/algorand/transaction';
import { uint64Bytes } from '../signing/program-template.ts';
import type { ChannelConfig } from './channel-config.ts';
import { channelId, channelProgram } from './channel-program.ts';
import type { Voucher } from './voucher.ts';

/** µAlgo that an account with one asset must hold (0.1 for itself and 0.1 for the asset). */
export const CHANNEL_MINIMUM_BALANCE = 200_000n;

/** When a group is valid and what its members cost; the first member pays for all. */
export interface GroupTerms {
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly genesisId?: string;
  /** µAlgo for each member. */
  readonly fee: bigint;
}

type Draft<T> = T extends unknown ? Omit<T, 'fee' | 'firstValid' | 'lastValid' | 'genesisId' | 'genesisHash'> : never;

/** The four members that open a channel: the fee, the ALGO of the account, its opt-in, the deposit. */
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

/** The two members that add to a channel's deposit: the fee, the transfer. */
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

/** The three members that close a channel: the closer's fee with the channel as its lease, the claim, the ALGO. */
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
 * The two members that close a channel whose payer can't receive the asset (it has left it, or is frozen): the claim hands
 * the account to the payer, and with it the rest and the ALGO. Nothing that the payer does can stop it.
 */
export function handingOverGroup(config: ChannelConfig, amount: bigint, terms: GroupTerms): Transaction[] {
  const { payer, receiver, token: assetId } = config;
  const claim = { type: 'axfer', sender: channelId(config), receiver, assetId, amount, rekeyTo: payer } as const;
  return group(config, terms, [closerFee(config), claim]);
}

/** The three members that return everything to the payer after the expiry; anybody may send them and pays the fee. */
export function refundGroup(config: ChannelConfig, feePayer: string, terms: GroupTerms): Transaction[] {
  const { payer, funder, token: assetId } = config;
  const sender = channelId(config);
  return group(config, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender, receiver: payer, assetId, amount: 0n, assetCloseTo: payer },
    { type: 'pay', sender, receiver: funder, amount: 0n, closeRemainderTo: funder },
  ]);
}

/** Without the lease a claim could be smuggled into a group that the closer signs for another reason. */
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

/** The msgpack of a member that leaves the channel; a claim of an amount needs a voucher over at least that. */
export function signByChannel(config: ChannelConfig, txn: Transaction, voucher?: Voucher): Uint8Array {
  const args = voucher && [voucher.signature, uint64Bytes(voucher.maxClaimableAmount)];
  const logicSignature = encodeMsgpack({ ...(args && { arg: args }), l: channelProgram(config) });
  return encodeSignedTransaction({ txn, logicSignature });
}
