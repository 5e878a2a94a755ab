import { parseAddress } from '@avm402/algorand/address';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { ASSET_ACCOUNT_MINIMUM, type GroupDraft, type GroupTerms, pooledGroup } from '../signing/pooled-group.ts';
import { uint64Bytes } from '../signing/program-template.ts';
import { type ChannelConfig, channelId, channelProgram } from './channel-config.ts';
import type { Voucher } from './voucher.ts';

/** The four members that open a channel: the fee, the ALGO of the account, its opt-in, and the deposit. */
export function openingGroup(
  config: ChannelConfig,
  { feePayer, deposit }: { readonly feePayer: string; readonly deposit: bigint },
  terms: GroupTerms,
): Transaction[] {
  const channel = channelId(config);
  const { payer, funder, token: assetId } = config;
  return pooledGroup(config.genesisHash, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'pay', sender: funder, receiver: channel, amount: ASSET_ACCOUNT_MINIMUM },
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
  return pooledGroup(config.genesisHash, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender: payer, receiver: channelId(config), assetId, amount: deposit },
  ]);
}

/** The three members that close a channel: the closer's fee with the channel as its lease, the claim, and the ALGO. */
export function closingGroup(config: ChannelConfig, amount: bigint, terms: GroupTerms): Transaction[] {
  const { payer, receiver, funder, token: assetId } = config;
  const sender = channelId(config);
  return pooledGroup(config.genesisHash, terms, [
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
  return pooledGroup(config.genesisHash, terms, [closerFee(config), claim]);
}

/**
 * The three members that return everything to the payer after the expiry. Anybody may send them, and the sender pays
 * the fee.
 */
export function refundGroup(config: ChannelConfig, feePayer: string, terms: GroupTerms): Transaction[] {
  const { payer, funder, token: assetId } = config;
  const sender = channelId(config);
  return pooledGroup(config.genesisHash, terms, [
    { type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n },
    { type: 'axfer', sender, receiver: payer, assetId, amount: 0n, assetCloseTo: payer },
    { type: 'pay', sender, receiver: funder, amount: 0n, closeRemainderTo: funder },
  ]);
}

/** Without the lease, a claim could be smuggled into a group that the closer signs for another reason. */
function closerFee(config: ChannelConfig): GroupDraft {
  const sender = config.receiverAuthorizer;
  return { type: 'pay', sender, receiver: sender, amount: 0n, lease: parseAddress(channelId(config)) };
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
