import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { FieldReader } from '../network/field-reader.ts';

/** Sizes of a salt and of a genesis hash, in bytes. */
const SALT_BYTES = 16;
const GENESIS_HASH_BYTES = 32;

/**
 * The configuration of a channel, which never changes: the constants of its program. The wire form uses the names of
 * the scheme's other bindings; `expiry`, `funder` and `genesisHash` are specific to Algorand
 * (docs/specs/scheme_batch_settlement_avm.md, Channel configuration).
 */
export interface ChannelConfig {
  /** The account that makes the deposit and gets the rest back. */
  readonly payer: string;
  /** The Ed25519 key that signs vouchers, as an address: a session key of the client. */
  readonly payerAuthorizer: string;
  /** The account that is paid: the offer's `payTo`. */
  readonly receiver: string;
  /** The account that closes the channel: the offer's `extra.receiverAuthorizer`. */
  readonly receiverAuthorizer: string;
  /** Asset id. */
  readonly token: bigint;
  /** The round after which anybody can return the whole balance to the payer. */
  readonly expiry: bigint;
  /** The account that gets back the ALGO for the channel account's minimum balance. */
  readonly funder: string;
  /** 32 bytes; they tie the channel to one network. */
  readonly genesisHash: Uint8Array;
  /** 16 bytes, never reused. */
  readonly salt: Uint8Array;
}

const read = new FieldReader(invalid);

/**
 * Reads a channel's configuration from outside. Unknown keys are refused, because a channel is exactly its
 * configuration.
 * @throws X402Error `invalid_batch_settlement_avm_channel_config`, with the field's name
 */
export function parseChannelConfig(value: unknown): ChannelConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it must be an object');
  const fields: Partial<Record<string, unknown>> = { ...value };
  const config: ChannelConfig = {
    payer: read.address('payer', fields['payer']),
    payerAuthorizer: read.address('payerAuthorizer', fields['payerAuthorizer']),
    receiver: read.address('receiver', fields['receiver']),
    receiverAuthorizer: read.address('receiverAuthorizer', fields['receiverAuthorizer']),
    token: read.uint64('token', fields['token']),
    expiry: read.uint64('expiry', fields['expiry']),
    funder: read.address('funder', fields['funder']),
    genesisHash: read.bytes('genesisHash', fields['genesisHash'], GENESIS_HASH_BYTES),
    salt: read.bytes('salt', fields['salt'], SALT_BYTES),
  };
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(config, name));
  if (unknown !== undefined) throw invalid(`it has the unknown key ${JSON.stringify(unknown.slice(0, 40))}`);
  assertDistinct(config);
  return config;
}

/**
 * A payer who is also the receiver could claim as the receiver; a closer who is the payer could claim with an old
 * voucher.
 */
function assertDistinct({ payer, receiver, receiverAuthorizer, payerAuthorizer, token }: ChannelConfig): void {
  if (payer === receiver) throw invalid('payer and receiver are the same');
  if (receiverAuthorizer === payer || receiverAuthorizer === payerAuthorizer) {
    throw invalid('the receiverAuthorizer is on the payer’s side');
  }
  if (token === 0n) throw invalid('token is no asset');
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_batch_settlement_avm_channel_config', {
    message: `the channel's configuration: ${what}`,
  });
}

/** A channel's configuration on the wire, as text only. */
export type WireChannelConfig = { readonly [Field in keyof ChannelConfig]: string };

export function encodeChannelConfig({
  token,
  expiry,
  genesisHash,
  salt,
  ...addresses
}: ChannelConfig): WireChannelConfig {
  return {
    ...addresses,
    token: token.toString(),
    expiry: expiry.toString(),
    genesisHash: encodeBase64(genesisHash),
    salt: encodeBase64(salt),
  };
}
