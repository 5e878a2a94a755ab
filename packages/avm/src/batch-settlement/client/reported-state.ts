import { decodeBase64 } from '@avm402/algorand/base64';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { parseAtomicAmount } from '@avm402/core/price';
import type { SettleResponse } from '@avm402/core/settle-response';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { adopt, type ChannelSpending } from './channel-spending.ts';
import { isVoucherSigned } from '../voucher.ts';

/** A channel's state as a corrective 402 reports it. Nothing in it may be believed before `signature` is verified. */
export interface ReportedState {
  /** The total charge according to the seller, atomic units. */
  readonly charged: bigint;
  /** The amount of the highest voucher that the seller has; 0 if it has none. */
  readonly signed: bigint;
  /** The signature of that voucher. */
  readonly signature: Uint8Array;
}

type Fields = Readonly<Record<string, unknown>>;

/** The state of a channel that a 402 reports; undefined if it reports none. */
export function reportedState(
  { accepts }: { readonly accepts: readonly Pick<PaymentRequired['accepts'][number], 'extra'>[] },
  id: string,
): ReportedState | undefined {
  for (const { extra } of accepts) {
    const { channelState, voucherState }: Fields = Object(extra);
    const charged = amountIn(channelState, 'chargedCumulativeAmount');
    if (textIn(channelState, 'channelId') !== id || charged === undefined) continue;
    const signed = amountIn(voucherState, 'signedMaxClaimable') ?? 0n;
    const signature = decodeBase64(textIn(voucherState, 'signature') ?? '');
    return { charged, signed, signature: signature ?? new Uint8Array() };
  }
  return undefined;
}

/** Adopts the state that a 402 reports, if the channel's own key has signed it; undefined if it is not believed. */
export function adoptReported(
  spending: ChannelSpending,
  config: ChannelConfig,
  { charged, signed, signature }: ReportedState,
): ChannelSpending | undefined {
  const voucher = { channelId: channelId(config), maxClaimableAmount: signed, signature };
  const isOwn = signed === 0n ? charged === 0n : isVoucherSigned(voucher, config.payerAuthorizer);
  return isOwn ? adopt(spending, { charged, signed }) : undefined;
}

/** The channel that a receipt is about. */
export function channelIn({ extra }: Pick<SettleResponse, 'extra'>): string | undefined {
  const { channelState }: Fields = extra ?? {};
  return textIn(channelState, 'channelId');
}

/** The cost of a request according to its receipt, atomic units; undefined if the receipt does not give it. */
export function chargeIn({ extra }: Pick<SettleResponse, 'extra'>): bigint | undefined {
  return amountIn(extra, 'chargedAmount');
}

function textIn(value: unknown, name: string): string | undefined {
  const { [name]: field }: Fields = Object(value);
  return typeof field === 'string' ? field : undefined;
}

function amountIn(value: unknown, name: string): bigint | undefined {
  try {
    return parseAtomicAmount(textIn(value, name) ?? '');
  } catch {
    return undefined;
  }
}
