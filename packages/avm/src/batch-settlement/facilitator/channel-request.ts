import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import { type PaymentRequirements, parsePaymentRequirements } from '@avm402/core/payment-requirements';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import { checkChannelConfig, checkVoucher } from '../checks/channel.ts';
import { type CheckedDeposit, checkDeposit } from '../checks/deposit.ts';
import { type ChannelPayload, parseChannelPayload } from '../payload.ts';
import type { Voucher } from '../voucher.ts';
import type { ChannelNetwork } from './channel-network.ts';

/** The common part of every request about a channel. */
export interface AboutChannel {
  readonly network: ChannelNetwork;
  readonly config: ChannelConfig;
  readonly channelId: string;
}

export interface DepositRequest extends AboutChannel {
  readonly type: 'deposit';
  readonly deposit: CheckedDeposit;
  /** The claim key whose signature a claim will need. */
  readonly claimAuthorizer: string;
}

export interface VoucherRequest extends AboutChannel {
  readonly type: 'voucher';
  readonly voucher: Voucher;
}

export interface ClaimRequest extends AboutChannel {
  readonly type: 'claim';
  /** Atomic units. */
  readonly amount: bigint;
  readonly voucher?: Voucher;
  readonly authorization: Uint8Array;
}

interface RefundRequest extends AboutChannel {
  readonly type: 'refund';
}

/**
 * A request that passed all offline checks. Whether the chain accepts it, and whether its sender may ask for it, is not
 * known yet.
 */
export type ChannelRequest = DepositRequest | VoucherRequest | ClaimRequest | RefundRequest;

/**
 * Reads a request and runs the checks that need no network call.
 * @throws X402Error with a wire reason (`invalid_batch_settlement_avm_*`, `unsupported_network`)
 */
export function checkChannelRequest(
  payload: unknown,
  requirements: unknown,
  networkOf: (network: string) => ChannelNetwork | undefined,
): ChannelRequest {
  const offer = parsePaymentRequirements(requirements);
  const payment = parsePaymentPayload(payload);
  if (offer.scheme !== 'batch-settlement' || payment.accepted.scheme !== offer.scheme) {
    throw new X402Error('unsupported_scheme');
  }
  const network = networkOf(offer.network);
  if (network === undefined) {
    throw new X402Error('unsupported_network', {
      message: `no channels are opened or closed on ${offer.network} here`,
    });
  }
  const parsed = parseChannelPayload(payment.payload);
  const { channelConfig: config } = parsed;
  checkNetworkAndCloser(config, offer, network);
  return requestOf(parsed, offer, { network, config, channelId: channelId(config) });
}

/**
 * Checks that the channel is on this network, that its closer and funder are accounts of this facilitator, and that its
 * payer and receiver are not.
 */
function checkNetworkAndCloser(
  { genesisHash, receiverAuthorizer, funder, payer, receiver }: ChannelConfig,
  offer: PaymentRequirements,
  { sponsor }: ChannelNetwork,
): void {
  const wrong =
    (!networksEqual(networkOfGenesis(genesisHash), offer.network) && 'genesisHash') ||
    (!sponsor.accounts.has(receiverAuthorizer) && 'receiverAuthorizer') ||
    (!sponsor.accounts.has(funder) && 'funder');
  if (wrong !== false) throw invalidConfig(`the channel's ${wrong} is not this facilitator's`);
  // Everything that such an account moves is moved by our signature.
  if ([payer, receiver].some((party) => sponsor.accounts.has(party))) {
    throw invalidConfig('the channel is to or from an account of this facilitator');
  }
}

function invalidConfig(message: string): X402Error {
  return new X402Error('invalid_batch_settlement_avm_channel_config', { message });
}

function requestOf(payload: ChannelPayload, requirements: PaymentRequirements, about: AboutChannel): ChannelRequest {
  const { config } = about;
  // Also for an ending: a seller may act only on channels to its own receiver.
  checkChannelConfig(config, requirements);
  switch (payload.type) {
    case 'deposit': {
      checkVoucher(config, payload.voucher);
      const { claimAuthorizer, feePayer } = parseChannelTerms(requirements.extra);
      checkFeePayer(feePayer, about.network);
      return { type: 'deposit', ...about, deposit: checkDeposit(payload, requirements), claimAuthorizer };
    }
    case 'voucher':
      checkVoucher(config, payload.voucher);
      return { type: 'voucher', ...about, voucher: payload.voucher };
    case 'claim': {
      const { amount, voucher, authorization } = payload;
      checkClaimedAmount(config, amount, voucher);
      return { type: 'claim', ...about, amount, ...(voucher && { voucher }), authorization };
    }
    case 'refund':
      return { type: 'refund', ...about };
    default:
      return payload satisfies never;
  }
}

function checkFeePayer(feePayer: string, { sponsor }: ChannelNetwork): void {
  if (sponsor.accounts.has(feePayer)) return;
  throw new X402Error('invalid_batch_settlement_avm_deposit_group', {
    message: `fee payer ${feePayer} is not this facilitator's account`,
  });
}

/** Checks that the claim is at most the voucher's amount. A claim of 0 needs no voucher. */
function checkClaimedAmount(config: ChannelConfig, amount: bigint, voucher: Voucher | undefined): void {
  if (voucher !== undefined) checkVoucher(config, voucher);
  const allowed = voucher?.maxClaimableAmount ?? 0n;
  if (amount <= allowed) return;
  throw new X402Error('invalid_batch_settlement_avm_voucher_too_low', {
    message: `${amount} is claimed, the voucher allows ${allowed}`,
  });
}
