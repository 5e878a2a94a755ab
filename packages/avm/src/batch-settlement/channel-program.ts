import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { fillTemplate, programCode, uint64Bytes } from '../program-template.ts';
import type { ChannelConfig } from './channel-config.ts';

/** What `channel.teal` assembles to, behind its constants. */
const CODE = programCode(
  'MQEURDIRJwUSRDEQgQQSQAANMQgURDEJJwQSREIAcjERJwYXEkQxEzIDEkQxFCoSQAArMSAyAxJEMRQxABJAABQxFCgSRDEV' +
    'KBJEMQInBxcNREIAPDEVMgMSREIAMzMAACsSRDMABjEAEkQxFSgSMSAyAxIQMRUyAxIxICgSEBFEMRJBAAsxEi4XDkQuLSkE' +
    'RIEBQw==',
);

const PROGRAM_PREFIX = new TextEncoder().encode('Program');

/** The logic signature that rules a channel's account; its rules stand in `channel.teal`. */
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
  return fillTemplate(constants, CODE);
}

/** A channel's id is the address of its account: the hash of its program, and so of its whole configuration. */
export function channelId(config: ChannelConfig): string {
  return formatAddress(programHash(channelProgram(config)));
}

/** 32 bytes: what `ed25519verify` puts before a program's data. */
function programHash(program: Uint8Array): Uint8Array {
  return sha512_256(Uint8Array.from([...PROGRAM_PREFIX, ...program]));
}
