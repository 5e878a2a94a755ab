import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { type GroupMember, parseGroupMembers } from '../wire/group-member.ts';
import { FieldReader } from '../wire/field-reader.ts';
import { type ChannelConfig, encodeChannelConfig, parseChannelConfig } from './channel-config.ts';
import { encodeVoucher, parseVoucher, type Voucher } from './voucher.ts';

const SIGNATURE_BYTES = 64;

/** Opens a channel or adds to its deposit, and pays the first request with its voucher. */
export interface DepositPayload {
  readonly type: 'deposit';
  readonly channelConfig: ChannelConfig;
  readonly voucher: Voucher;
  readonly deposit: {
    /** Atomic units. */
    readonly amount: bigint;
    readonly paymentGroup: readonly Pick<GroupMember, 'bytes'>[];
  };
}

/** Pays one request. */
export interface VoucherPayload {
  readonly type: 'voucher';
  readonly channelConfig: ChannelConfig;
  readonly voucher: Voucher;
}

/**
 * Asks the seller, with the payer's authorization, to close early; or asks the facilitator, without one, after the
 * expiry.
 */
export interface RefundPayload {
  readonly type: 'refund';
  readonly channelConfig: ChannelConfig;
  /** Signed by the payer authorizer, see `signClose`. */
  readonly authorization?: Uint8Array;
}

/** Sent by the seller to the facilitator: close the channel and pay the receiver `amount`. */
export interface ClaimPayload {
  readonly type: 'claim';
  readonly channelConfig: ChannelConfig;
  /** The total charge, atomic units. */
  readonly amount: bigint;
  /** The highest voucher; absent if nothing was charged. */
  readonly voucher?: Voucher;
  /** Signed by the claim key, see `signClaim`. */
  readonly authorization: Uint8Array;
}

/** The scheme's part of a payment, decoded. */
export type ChannelPayload = ParsedDeposit | VoucherPayload | RefundPayload | ClaimPayload;

/** A deposit as read: its group's members, with values computed from their bytes. */
export interface ParsedDeposit extends DepositPayload {
  readonly deposit: { readonly amount: bigint; readonly paymentGroup: readonly GroupMember[] };
}

const read = new FieldReader(invalid);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the scheme's part of a payment. Signatures are not checked yet. Callers that know the configuration pass
 * `parseConfig`.
 * @throws X402Error `invalid_batch_settlement_avm_payload`, `_channel_config`, `_deposit_group`
 */
export function parseChannelPayload(
  payload: Fields,
  parseConfig: (value: unknown) => ChannelConfig = parseChannelConfig,
): ChannelPayload {
  const { type, voucher } = payload;
  const channelConfig = parseConfig(payload['channelConfig']);
  switch (type) {
    case 'deposit':
      return { type, channelConfig, voucher: parseVoucher(voucher), deposit: parseDeposit(payload['deposit']) };
    case 'voucher':
      return { type, channelConfig, voucher: parseVoucher(voucher) };
    case 'refund':
      return { type, channelConfig, ...optionalAuthorization(payload['authorization']) };
    case 'claim':
      return { type, channelConfig, ...optionalVoucher(voucher), ...parseClaim(payload) };
    default:
      throw invalid('type is not deposit, voucher, refund or claim');
  }
}

/** The wire form, which has only text members. */
export function encodeChannelPayload(
  payload: DepositPayload | VoucherPayload | RefundPayload | ClaimPayload,
): Record<string, unknown> {
  const { type, channelConfig } = payload;
  const wire = { type, channelConfig: encodeChannelConfig(channelConfig) };
  if (type === 'refund') return { ...wire, ...encodeAuthorization(payload.authorization) };
  const { voucher } = payload;
  return {
    ...wire,
    ...(voucher && { voucher: encodeVoucher(voucher) }),
    ...(type === 'deposit' && { deposit: encodeDeposit(payload.deposit) }),
    ...(type === 'claim' && { amount: payload.amount.toString(), ...encodeAuthorization(payload.authorization) }),
  };
}

function encodeAuthorization(authorization: Uint8Array | undefined): { readonly authorization?: string } {
  return authorization === undefined ? {} : { authorization: encodeBase64(authorization) };
}

function encodeDeposit({ amount, paymentGroup }: DepositPayload['deposit']) {
  return { amount: amount.toString(), paymentGroup: paymentGroup.map(({ bytes }) => encodeBase64(bytes)) };
}

function optionalVoucher(voucher: unknown): { readonly voucher?: Voucher } {
  return voucher === undefined ? {} : { voucher: parseVoucher(voucher) };
}

function optionalAuthorization(authorization: unknown): Pick<RefundPayload, 'authorization'> {
  return authorization === undefined ? {} : { authorization: parseAuthorization(authorization) };
}

function parseDeposit(value: unknown): ParsedDeposit['deposit'] {
  const { amount, paymentGroup }: Fields = Object(value);
  if (!Array.isArray(paymentGroup)) throw invalid('deposit.paymentGroup must be a list');
  return { amount: read.amount('deposit.amount', amount), paymentGroup: depositMembers(paymentGroup) };
}

function depositMembers(paymentGroup: readonly unknown[]): GroupMember[] {
  return parseGroupMembers(
    paymentGroup,
    (_, message, cause) =>
      new X402Error('invalid_batch_settlement_avm_deposit_group', { message: `the deposit: ${message}`, cause }),
  );
}

function parseClaim({ amount, authorization }: Fields): Pick<ClaimPayload, 'amount' | 'authorization'> {
  return { amount: read.amount('amount', amount), authorization: parseAuthorization(authorization) };
}

function parseAuthorization(authorization: unknown): Uint8Array {
  return read.bytes('authorization', authorization, SIGNATURE_BYTES);
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_batch_settlement_avm_payload', { message: `the payment by channel: ${what}` });
}
