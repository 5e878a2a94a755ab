import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { equalBytes } from '@noble/curves/utils.js';
import { fillTemplate, programCode, programSigningBytes, uint64Bytes } from '../signing/program-template.ts';
import type { MandateConfig } from './mandate-config.ts';

/** The bytes that `mandate.teal` assembles to after its constants. */
const CODE = programCode(
  'MhErEkQxEIEEEkAADDEIFEQxCSgSREIAlzERJwQXEkQxEzIDEkQxIDIDEkQxFTIDEkEAZjEUMQASQAB0MRInBRcORDEBMgAO' +
    'RDEEJwcXDkQxBicGpkQxBjIDE0QxBIH0AxgURCoyAxJAACYxFAM0AC4VDEEAGC40AIEgWEqkQAABTFADNACBIAg1AEL/4CoS' +
    'RDEXLSmEREIAIDEVKBJEMRIURDMAACgSMQInBxcNEUQxARREMQYyAxJEgQFD',
);

/** Length of the version, the opcode and the number of constants. */
const CONSTANTS_START = 3;
const PROGRAM_BYTES = 377;

/** The logic signature that controls a mandate's account; `mandate.teal` has its rules. */
export function mandateProgram(config: MandateConfig): Uint8Array {
  const constants = [
    parseAddress(config.owner),
    parseAddress(config.agent),
    config.receivers,
    config.genesisHash,
    uint64Bytes(config.asset),
    uint64Bytes(config.cap),
    uint64Bytes(config.slots),
    uint64Bytes(config.expiry),
    config.salt,
  ];
  return fillTemplate(constants, CODE);
}

/** The configuration from which a program was made; undefined if the program is not a mandate's. */
export function parseMandateProgram(program: Uint8Array): MandateConfig | undefined {
  if (program.length !== PROGRAM_BYTES) return undefined;
  let start = CONSTANTS_START;
  const next = (length: number): Uint8Array => {
    // Each constant follows its length.
    start += 1 + length;
    return program.slice(start - length, start);
  };
  const uint64 = (): bigint => new DataView(next(8).buffer).getBigUint64(0);
  const config: MandateConfig = {
    owner: formatAddress(next(32)),
    agent: formatAddress(next(32)),
    receivers: next(32),
    genesisHash: next(32),
    asset: uint64(),
    cap: uint64(),
    slots: uint64(),
    expiry: uint64(),
    salt: next(16),
  };
  return equalBytes(mandateProgram(config), program) ? config : undefined;
}

/** A mandate's id: the address of its account, which is the hash of its program and so of its whole configuration. */
export function mandateAddress(config: MandateConfig): string {
  return formatAddress(sha512_256(programSigningBytes(mandateProgram(config))));
}
