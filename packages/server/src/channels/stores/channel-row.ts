import { parseChannelConfig, encodeChannelConfig } from '@avm402/avm/batch-settlement';
import type { StoredResponse } from '../../response/held-answer.ts';
import type { Channel, ChannelRequest, RequestBuyer } from '../record/channel.ts';
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
  /** Its buyer, and its response without the body, if any. */
  readonly document: string | null;
  readonly body: Uint8Array | null;
  /** Until when the response is kept, milliseconds since 1970. */
  readonly kept_until: number | null;
}

type Terms = Pick<Channel, 'channelId' | 'config' | 'requirements' | 'openedAt' | 'openedRound'>;
type Progress = Omit<Channel, keyof Terms>;

/** A number as text, which JSON keeps to the digit. */
type Stored<Facts, Numbers extends keyof Facts> = Omit<Facts, Numbers> & { readonly [Name in Numbers]: string };
type StoredTerms = Stored<Omit<Terms, 'config'>, 'openedRound'> & { readonly config: unknown };
type StoredProgress = Stored<Omit<Progress, 'signature'>, 'balance' | 'authorized' | 'charged' | 'floor'> & {
  readonly signature?: string;
};

const AMOUNT_DIGITS = 20;

/** An amount as the text that rows are ordered by. */
export function amountKey(amount: bigint): string {
  return amount.toString().padStart(AMOUNT_DIGITS, '0');
}

export function encodeTerms({ channelId, config, requirements, openedAt, openedRound }: Channel): string {
  const terms: StoredTerms = {
    channelId,
    config: encodeChannelConfig(config),
    requirements,
    openedAt,
    openedRound: openedRound.toString(),
  };
  return JSON.stringify(terms);
}

export function encodeProgress(channel: Channel): string {
  const {
    channelId: _id,
    config: _config,
    requirements: _requirements,
    openedAt: _at,
    openedRound: _round,
    ...rest
  } = channel;
  const { signature, balance, authorized, charged, floor, ...others } = rest;
  const progress: StoredProgress = {
    ...others,
    balance: balance.toString(),
    authorized: authorized.toString(),
    charged: charged.toString(),
    floor: floor.toString(),
    ...(signature && { signature: Buffer.from(signature).toString('base64') }),
  };
  return JSON.stringify(progress);
}

/** The channel of a row that this program has written. */
export function channelOf({ terms, progress }: Pick<ChannelRow, 'terms' | 'progress'>): Channel {
  const { config, openedRound, ...known } = JSON.parse(terms) as StoredTerms;
  const { signature, balance, authorized, charged, floor, ...rest } = JSON.parse(progress) as StoredProgress;
  return {
    ...known,
    ...rest,
    config: parseChannelConfig(config),
    openedRound: BigInt(openedRound),
    balance: BigInt(balance),
    authorized: BigInt(authorized),
    charged: BigInt(charged),
    floor: BigInt(floor),
    ...(signature !== undefined && { signature: Uint8Array.from(Buffer.from(signature, 'base64')) }),
  };
}

/** A row of a list. One that can't be read must not hide the others. */
export function listedChannelOf(row: ChannelRow): Channel | UnreadableChannel {
  try {
    return channelOf(row);
  } catch (error) {
    return { channelId: row.channel_id, error };
  }
}

interface RequestDocument {
  readonly buyer?: RequestBuyer;
  readonly response?: Omit<StoredResponse, 'body'>;
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
  const { buyer, response } = JSON.parse(document ?? '{}') as RequestDocument;
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
