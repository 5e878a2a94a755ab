import type { SuggestedParams } from '@avm402/algorand/algod';
import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import { askNode, type RefusedGroup } from '../../node/ask-node.ts';
import { chainRefusal } from '../../node/chain-refusal.ts';
import { memberFee } from '../../node/network-fees.ts';
import { ASSET_ACCOUNT_MINIMUM, type GroupTerms } from '../../signing/pooled-group.ts';
import { unsigned, type VerifiedGroup, verifyGroup } from '../../sponsorship/sponsored-group.ts';
import { channelState } from '../channel-account.ts';
import { closingGroup, handingOverGroup, refundGroup, signByChannel } from '../channel-groups.ts';
import { isClaimSigned } from '../claim-authorization.ts';
import type { Voucher } from '../voucher.ts';
import type { AboutChannel, ClaimRequest } from './channel-request.ts';

/** A group that ends a channel and that the chain would accept now. */
export interface ChannelEnd {
  readonly kind: 'close' | 'hand-over' | 'refund';
  /** Id of the member that moves the asset. It is the key of the settlement. */
  readonly txId: string;
  /** The amount that the receiver gets, atomic units. */
  readonly amount: bigint;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly feePayer: string;
  readonly group: VerifiedGroup;
}

/** Rounds in which an ending can be confirmed; a lost one is tried again after them. */
const WINDOW = 200n;
/** Size of an encoded member with the program and a voucher, from which a per-byte fee is calculated. */
const TYPICAL_BYTES = 800;

/** Refusals that a payer causes by opting out of the asset, or its issuer by freezing the payer's holding. */
const PAYER_CANT_RECEIVE: ReadonlySet<AlgodRefusal['kind']> = new Set(['receiver_not_opted_in', 'asset_frozen']);

/**
 * The group that pays the seller its claim and closes the channel. If the payer can't receive the rest, the group hands
 * the account over to the payer. Its window ends with the channel, so it never competes with a refund.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function claimEnd(request: ClaimRequest): Promise<ChannelEnd> {
  const { network, config, amount } = request;
  await checkClaimAuthorization(request);
  const params = await askNode(() => network.algod.params());
  if (params.lastRound >= config.expiry) {
    // If it is neither on record nor on chain, it may have been closed for its seller: that is not called lost.
    await hasEnded(request);
    throw new X402Error('invalid_batch_settlement_avm_channel_expiring');
  }
  await assertNotEnded(request);
  const lastValid = params.lastRound + WINDOW;
  const terms = termsOf(params, params.lastRound, lastValid < config.expiry ? lastValid : config.expiry);
  const closing = await tryEnd(request, 'close', closingGroup(config, amount, terms));
  if (!('refusal' in closing)) return closing;
  // The account is not handed over for a claim worth less than its ALGO, which may still come back after the expiry.
  if (amount >= network.policy.handOverAmount && PAYER_CANT_RECEIVE.has(closing.refusal.kind)) {
    const handingOver = await tryEnd(request, 'hand-over', handingOverGroup(config, amount, terms));
    if (!('refusal' in handingOver)) return handingOver;
  }
  throw refused(closing, network);
}

/**
 * The group that returns everything after the expiry: the asset to the payer and the ALGO to the funder.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function refundEnd(about: AboutChannel): Promise<ChannelEnd> {
  const { network, config } = about;
  const params = await askNode(() => network.algod.params());
  if (params.lastRound < config.expiry) {
    throw new X402Error('invalid_batch_settlement_avm_channel_not_expired', {
      message: `the channel expires in round ${config.expiry}, the chain is at ${params.lastRound}`,
    });
  }
  await assertNotEnded(about);
  const firstValid = params.lastRound > config.expiry ? params.lastRound : config.expiry + 1n;
  const feePayer = network.sponsor.feePayer();
  const group = refundGroup(config, feePayer, termsOf(params, firstValid, firstValid + WINDOW));
  const end = await tryEnd({ ...about, amount: 0n }, 'refund', group);
  if ('refusal' in end) throw refused(end, network);
  return end;
}

/**
 * Whether the channel holds nothing of its funder's any more because it was closed, refunded or handed over. Its seller
 * never claims from it again, so a node that has not seen its opening yet must not say so.
 * @throws X402Error `algod_unreachable`, `invalid_batch_settlement_avm_channel_not_found` if nothing is on record or on
 * chain
 */
export async function hasEnded({ network, channelId }: AboutChannel): Promise<boolean> {
  const account = await askNode(() => network.algod.account(channelId));
  const state = channelState(account);
  if (state !== 'empty') return state === 'handed-over';
  const { openedIn } = (await network.known(channelId)) ?? notFound();
  if (account.round >= openedIn) return true;
  throw new X402Error('algod_unreachable', {
    message: `only an algod that is behind answers: at round ${account.round}, channel ${channelId} was opened in ${openedIn}`,
  });
}

async function assertNotEnded(about: AboutChannel): Promise<void> {
  if (await hasEnded(about)) throw new X402Error('invalid_batch_settlement_avm_channel_closed');
}

/**
 * Checks that the claim is authorized by the seller with whom the channel was opened: otherwise the payer could have its
 * channel closed with its smallest voucher. A store that was restored does not know the channels opened after its backup;
 * they are claimed with the keys that the operator names. Resolves to the key, as an address.
 * @throws X402Error `invalid_batch_settlement_avm_claim_authorization`, `_channel_not_found`
 */
export async function checkClaimAuthorization(request: ClaimRequest): Promise<string> {
  const { network, config, channelId, amount, authorization } = request;
  const known = await network.known(channelId);
  const keys = known ? [known.claimAuthorizer] : (network.claimKeysOf(config.receiver) ?? notFound());
  const signer = [...keys].find((key) => isClaimSigned(authorization, { channelId, amount }, key));
  if (signer === undefined) throw new X402Error('invalid_batch_settlement_avm_claim_authorization');
  return signer;
}

function notFound(): never {
  throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
}

type Ending = AboutChannel & { readonly amount: bigint; readonly voucher?: Voucher };

async function tryEnd(
  { network, config, amount, voucher }: Ending,
  kind: ChannelEnd['kind'],
  transactions: readonly Transaction[],
): Promise<ChannelEnd | RefusedGroup> {
  const [first, transfer] = transactions;
  if (first === undefined || transfer === undefined) throw new TypeError('a group of one');
  const members = transactions.map((txn, index) =>
    index === 0 ? unsigned(txn) : { txn, bytes: signByChannel(config, txn, index === 1 ? voucher : undefined) },
  );
  // The group returns the ALGO of the account, so it is not worth sending if it costs more.
  const group = await verifyGroup(
    { scheme: 'batch_settlement', members, ours: [0], mostFee: ASSET_ACCOUNT_MINIMUM },
    network,
  );
  if ('refusal' in group) return group;
  const { sender: feePayer, firstValid, lastValid } = first;
  return { kind, txId: transactionId(transfer), amount, firstValid, lastValid, feePayer, group };
}

function refused({ refusal }: RefusedGroup, { sponsor }: AboutChannel['network']): X402Error {
  return chainRefusal(refusal, sponsor.accounts, 'batch_settlement');
}

function termsOf(params: SuggestedParams, firstValid: bigint, lastValid: bigint): GroupTerms {
  return { firstValid, lastValid, genesisId: params.genesisId, fee: memberFee(params, TYPICAL_BYTES) };
}
