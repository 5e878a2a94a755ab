import { X402Error } from '@avm402/core/errors';
import { programCode, ProgramTemplate, type Wire } from '../signing/program-template.ts';

/** The most slots of a mandate. */
export const MAX_SLOTS = 1_000n;

/**
 * The configuration of a mandate, which never changes: the constants of its program (docs/specs/mandate_avm.md,
 * Configuration).
 */
export interface MandateConfig {
  /** The account that funds the mandate, may end it at any time, and gets everything back. */
  readonly owner: string;
  /** The Ed25519 key that signs payments, as an address. It holds nothing. */
  readonly agent: string;
  /** Asset id. */
  readonly asset: bigint;
  /** The most that one payment moves, in atomic units. */
  readonly cap: bigint;
  /** The most payments in one window, from 1 to {@link MAX_SLOTS}. */
  readonly slots: bigint;
  /** The last round in which a payment may be valid. After it, anybody can return everything to the owner. */
  readonly expiry: bigint;
  /** The root of the tree of receivers that may be paid, 32 bytes; all zero if anybody may be paid. */
  readonly receivers: Uint8Array;
  /** 32 bytes; they tie the mandate to one network. */
  readonly genesisHash: Uint8Array;
  /** 16 bytes, which distinguish mandates that are otherwise equal. */
  readonly salt: Uint8Array;
}

/** A mandate's configuration on the wire, as text only. */
export type WireMandateConfig = Wire<MandateConfig>;

/** The bytes that `mandate.teal` assembles to after its constants. */
const CODE = programCode(
  'MhErEkQxEIEEEkAADDEIFEQxCSgSREIAlzERJwQXEkQxEzIDEkQxIDIDEkQxFTIDEkEAZjEUMQASQABnMRInBRcORDEBMgAO' +
    'RDEEJwcXDkQxBicGpkQxBjIDE0QxBIH0AxgURCoyAxJAACYxFAM0AC4VDEEAGC40AIEgWEqkQAABTFADNACBIAg1AEL/4CoS' +
    'RDEXLSmEREIAIDEVKBJEMRIURDMAACgSMQInBxcNEUQxARREMQYyAxJEgQFD',
);

/** The constants of `mandate.teal`, which has its rules. */
const template = new ProgramTemplate<MandateConfig>(
  {
    owner: 'address',
    agent: 'address',
    receivers: 32,
    genesisHash: 32,
    asset: 'uint64',
    cap: 'uint64',
    slots: 'uint64',
    expiry: 'uint64',
    salt: 16,
  },
  CODE,
  invalid,
);

/**
 * Reads a mandate's configuration from outside. Unknown keys are refused, because a mandate is exactly its
 * configuration.
 * @throws X402Error `invalid_mandate`, with the field's name
 */
export function parseMandateConfig(value: unknown): MandateConfig {
  const config = template.parse(value);
  assertUsable(config);
  return config;
}

/** An agent that is the owner could end the mandate; the others could pay nothing. */
function assertUsable({ owner, agent, asset, cap, slots }: MandateConfig): void {
  if (owner === agent) throw invalid('owner and agent are the same');
  if (asset === 0n) throw invalid('asset must be an asset id');
  if (cap === 0n) throw invalid('cap is zero');
  if (slots === 0n || slots > MAX_SLOTS) throw invalid(`slots must be from 1 to ${MAX_SLOTS}`);
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_mandate', { message: `the mandate's configuration: ${what}` });
}

export function encodeMandateConfig(config: MandateConfig): WireMandateConfig {
  return template.encode(config);
}

/** The logic signature that controls a mandate's account. */
export function mandateProgram(config: MandateConfig): Uint8Array {
  return template.program(config);
}

/** The configuration from which a program was made; undefined if the program is not a mandate's. */
export function parseMandateProgram(program: Uint8Array): MandateConfig | undefined {
  return template.configOf(program);
}

/** A mandate's id: the address of its account, which is the hash of its program and so of its whole configuration. */
export function mandateAddress(config: MandateConfig): string {
  return template.address(config);
}
