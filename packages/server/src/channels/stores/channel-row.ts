import { parseChannelConfig, encodeChannelConfig } from '@avm402/avm/batch-settlement';
import * as z from 'zod/mini';
import { decimal, fromJson, requirements, responseHead, toJson } from '../../stores/stored-json.ts';
import type { Channel, ChannelRequest } from '../record/channel.ts';
import type { RememberedRequest, UnreadableChannel } from '../record/channel-store.ts';

/** The columns of a channel's row that are read. */
export interface ChannelRow {
  readonly channel_id: string;
  /** What never changes. */
  readonly terms: string;
  /** Everything else. */
  readonly progress: string;
}

export interface RequestRow {
  /** Twenty digits, so that the order as text is that of the amounts. */
  readonly amount: string;
  readonly charge: string;
  readonly owner: string;
  readonly payment_id: string | null;
  /** Its buyer, and its response without the body, if any. Once the body is dropped, the response counts as forgotten. */
  readonly document: string | null;
  readonly body: Uint8Array | null;
  /** Until when the response is kept, milliseconds since 1970. */
  readonly kept_until: number | null;
}

const terms = z.object({
  channelId: z.string(),
  config: z.pipe(z.unknown(), z.transform(parseChannelConfig)),
  requirements,
  openedAt: z.number(),
  openedRound: decimal,
});

/** Members that a later version has added stay as they are. */
const progress = z.looseObject({
  version: z.int(),
  state: z.enum(['open', 'closing', 'closed', 'lost']),
  balance: decimal,
  authorized: decimal,
  signature: z.exactOptional(
    z.pipe(
      z.string(),
      z.transform((base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))),
    ),
  ),
  charged: decimal,
  floor: decimal,
  closing: z.exactOptional(
    z.object({ reason: z.enum(['expiry', 'idle', 'risk', 'payer', 'seller', 'shutdown']), since: z.number() }),
  ),
  closedBy: z.exactOptional(z.string()),
  usedAt: z.number(),
});

/** The members of a request that have no column of their own. */
const requestDocument = z.object({
  buyer: z.exactOptional(z.object({ paymentId: z.string(), fingerprint: z.string(), route: z.string() })),
  response: z.exactOptional(responseHead),
});

const AMOUNT_DIGITS = 20;

/** An amount as the text that rows are ordered by. */
export function amountKey(amount: bigint): string {
  return amount.toString().padStart(AMOUNT_DIGITS, '0');
}

export function encodeTerms({ channelId, config, requirements: sold, openedAt, openedRound }: Channel): string {
  return toJson({ channelId, config: encodeChannelConfig(config), requirements: sold, openedAt, openedRound });
}

export function encodeProgress(channel: Channel): string {
  const { channelId: _id, config: _config, requirements: _sold, openedAt: _at, openedRound: _round, ...rest } = channel;
  const signature = rest.signature && { signature: Buffer.from(rest.signature).toString('base64') };
  return toJson({ ...rest, ...signature });
}

/**
 * The channel of a row.
 * @throws X402Error `store_unavailable` if the row can't be read
 */
export function channelOf(row: Pick<ChannelRow, 'terms' | 'progress'>): Channel {
  return { ...fromJson(terms, row.terms), ...fromJson(progress, row.progress) };
}

/** A row of a list. One that can't be read must not hide the others. */
export function listedChannelOf(row: ChannelRow): Channel | UnreadableChannel {
  try {
    return channelOf(row);
  } catch (error) {
    return { channelId: row.channel_id, error };
  }
}

export function encodeRequest({ amount, charge, owner, buyer, response }: ChannelRequest): RequestRow {
  const { body = null, ...head } = response ?? {};
  const document = { ...(buyer && { buyer }), ...(response && { response: head }) };
  return {
    amount: amountKey(amount),
    charge: charge.toString(),
    owner,
    payment_id: buyer?.paymentId ?? null,
    document: buyer === undefined && response === undefined ? null : JSON.stringify(document),
    body,
    kept_until: response?.keptUntil ?? null,
  };
}

export function requestOf({ amount, charge, owner, document, body }: Omit<RequestRow, 'kept_until'>): ChannelRequest {
  const { buyer, response } = fromJson(requestDocument, document ?? '{}');
  return {
    amount: BigInt(amount),
    charge: BigInt(charge),
    owner,
    ...(buyer && { buyer }),
    ...(response && body && { response: { ...response, body } }),
  };
}

export function rememberedOf(row: Pick<RequestRow, 'amount' | 'charge' | 'owner' | 'payment_id'>): RememberedRequest {
  return {
    amount: BigInt(row.amount),
    charge: BigInt(row.charge),
    owner: row.owner,
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
  };
}
