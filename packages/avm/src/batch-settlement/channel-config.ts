import { X402Error } from '@avm402/core/errors';
import { ProgramTemplate, type Wire } from '../signing/program-template.ts';
import { CHANNEL_CODE } from '../signing/scheme-programs.ts';

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

/** The constants of `channel.teal`, which has its rules. */
const template = new ProgramTemplate<ChannelConfig>(
  {
    payer: 'address',
    payerAuthorizer: 'address',
    receiver: 'address',
    receiverAuthorizer: 'address',
    funder: 'address',
    genesisHash: 32,
    token: 'uint64',
    expiry: 'uint64',
    salt: 16,
  },
  CHANNEL_CODE,
  invalid,
);

/**
 * Reads a channel's configuration from outside. Unknown keys are refused, because a channel is exactly its
 * configuration.
 * @throws X402Error `invalid_batch_settlement_avm_channel_config`, with the field's name
 */
export function parseChannelConfig(value: unknown): ChannelConfig {
  const config = template.parse(value);
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
  if (token === 0n) throw invalid('token must be an asset id');
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_batch_settlement_avm_channel_config', {
    message: `the channel's configuration: ${what}`,
  });
}

export function encodeChannelConfig(config: ChannelConfig): Wire<ChannelConfig> {
  return template.encode(config);
}

/** The logic signature that controls a channel's account. */
export function channelProgram(config: ChannelConfig): Uint8Array {
  return template.program(config);
}

/** The configuration from which a program was made; undefined if the program is not a channel's. */
export function parseChannelProgram(program: Uint8Array): ChannelConfig | undefined {
  return template.configOf(program);
}

/** A channel's id: the address of its account, which is the hash of its program and so of its whole configuration. */
export function channelId(config: ChannelConfig): string {
  return template.address(config);
}
