import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { equalBytes } from '@noble/curves/utils.js';
import { fillTemplate, programSigningBytes, uint64Bytes } from '../signing/program-template.ts';
import { CHANNEL_CODE } from '../signing/scheme-programs.ts';
import type { ChannelConfig } from './channel-config.ts';

/** Length of the version, the opcode and the number of constants. */
const CONSTANTS_START = 3;
const PROGRAM_BYTES = 384;

/** The logic signature that controls a channel's account; `channel.teal` has its rules. */
export function channelProgram(config: ChannelConfig): Uint8Array {
  const constants = [
    parseAddress(config.payer),
    parseAddress(config.payerAuthorizer),
    parseAddress(config.receiver),
    parseAddress(config.receiverAuthorizer),
    parseAddress(config.funder),
    config.genesisHash,
    uint64Bytes(config.token),
    uint64Bytes(config.expiry),
    config.salt,
  ];
  return fillTemplate(constants, CHANNEL_CODE);
}

/** The configuration from which a program was made; undefined if the program is not a channel's. */
export function parseChannelProgram(program: Uint8Array): ChannelConfig | undefined {
  if (program.length !== PROGRAM_BYTES) return undefined;
  let start = CONSTANTS_START;
  const next = (length: number): Uint8Array => {
    // Each constant follows its length.
    start += 1 + length;
    return program.slice(start - length, start);
  };
  const address = (): string => formatAddress(next(32));
  const config: ChannelConfig = {
    payer: address(),
    payerAuthorizer: address(),
    receiver: address(),
    receiverAuthorizer: address(),
    funder: address(),
    genesisHash: next(32),
    token: readUint64(next(8)),
    expiry: readUint64(next(8)),
    salt: next(16),
  };
  return equalBytes(channelProgram(config), program) ? config : undefined;
}

function readUint64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer).getBigUint64(0);
}

/** A channel's id: the address of its account, which is the hash of its program and so of its whole configuration. */
export function channelId(config: ChannelConfig): string {
  return formatAddress(sha512_256(programSigningBytes(channelProgram(config))));
}
