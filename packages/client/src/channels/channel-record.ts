import * as z from 'zod/mini';
import { type ChannelConfig, encodeChannelConfig, parseChannelConfig } from '@avm402/avm/batch-settlement';
import type { Network } from '@avm402/core/network';
import { parsePaymentRequirements, type PaymentRequirements } from '@avm402/core/payment-requirements';
import { bytes, decimal, fromJson, network, text, toJson } from '../journal/json-line.ts';
import type { SentPayment } from '../journal/sent-payment.ts';

/** A deposit that left, or is about to leave, this process. */
export interface ChannelDeposit extends Pick<
  SentPayment,
  'txId' | 'groupTxIds' | 'amount' | 'firstValid' | 'lastValid'
> {
  /** Whether the buyer's node has shown that it reached the channel. */
  readonly settled: boolean;
  /** The round in which the node has shown it; absent in records of earlier versions. */
  readonly settledIn?: bigint;
  /** The members of its group, to send again if the seller does not know of it. */
  readonly paymentGroup: readonly Uint8Array[];
}

/** The request and the offer that a channel was opened for. */
export interface OpenedFor {
  readonly method: string;
  /** Without the query, which may hold a secret. */
  readonly url: string;
  readonly requirements: PaymentRequirements;
}

/**
 * A buyer's record of one channel. Anyone who has its seed can sign vouchers for this channel's seller, and nothing
 * else. Amounts are atomic units.
 */
export interface ChannelRecord {
  readonly config: ChannelConfig;
  readonly network: Network;
  /** 32 bytes; absent if it is derived from the account's key. */
  readonly seed?: Uint8Array;
  /** Where it was opened; absent for a channel that was found on chain. */
  readonly opened?: OpenedFor;
  /** `closing`: nothing is paid with it any more. `closed`: everything that it held is paid out. */
  readonly state: 'open' | 'closing' | 'closed';
  /** The earliest first. Those that are {@link usedUp} are left out. */
  readonly deposits: readonly ChannelDeposit[];
  /** Deposits after the first one that the seller can claim as a whole; absent: none. */
  readonly usedUp?: { readonly count: number; readonly amount: bigint };
  /** `charged` and `signed` are as known when the record was written. */
  readonly charged: bigint;
  readonly signed: bigint;
  /** No voucher above this amount has left. */
  readonly signedUpTo: bigint;
}

const VERSION = 1;
const MAX_GROUP = 16;

const deposit = z.object({
  txId: text,
  groupTxIds: z.array(text).check(z.maxLength(MAX_GROUP)),
  amount: decimal,
  firstValid: decimal,
  lastValid: decimal,
  settled: z.boolean(),
  settledIn: z.exactOptional(decimal),
  paymentGroup: z.array(bytes).check(z.maxLength(MAX_GROUP)),
});

const record = z.object({
  v: z.literal(VERSION),
  config: z.pipe(z.unknown(), z.transform(parseChannelConfig)),
  network,
  seed: z.exactOptional(bytes),
  opened: z.exactOptional(
    z.object({
      method: z.string(),
      url: z.string(),
      requirements: z.pipe(z.unknown(), z.transform(parsePaymentRequirements)),
    }),
  ),
  state: z.enum(['open', 'closing', 'closed']),
  deposits: z.array(deposit).check(z.maxLength(1000)),
  usedUp: z.exactOptional(z.object({ count: z.int(), amount: decimal })),
  charged: decimal,
  signed: decimal,
  signedUpTo: decimal,
});

/** A record as one line of JSON, with its end. */
export function encodeChannelRecord({ config, ...fields }: ChannelRecord): string {
  return `${toJson({ v: VERSION, config: encodeChannelConfig(config), ...fields })}\n`;
}

/** The record of a line without its end; undefined if it is not a record. */
export function parseChannelRecord(json: string): ChannelRecord | undefined {
  const { v: _, ...fields } = fromJson(record, json) ?? {};
  return 'config' in fields ? fields : undefined;
}
