import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { FieldReader } from '../network/field-reader.ts';

/** Sizes of a salt and of hashes, in bytes. */
const SALT_BYTES = 16;
const HASH_BYTES = 32;

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
export type WireMandateConfig = { readonly [Field in keyof MandateConfig]: string };

const read = new FieldReader(invalid);

/**
 * Reads a mandate's configuration from outside. Unknown keys are refused, because a mandate is exactly its
 * configuration.
 * @throws X402Error `invalid_mandate`, with the field's name
 */
export function parseMandateConfig(value: unknown): MandateConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it must be an object');
  const fields: Partial<Record<string, unknown>> = { ...value };
  const config: MandateConfig = {
    owner: read.address('owner', fields['owner']),
    agent: read.address('agent', fields['agent']),
    asset: read.uint64('asset', fields['asset']),
    cap: read.uint64('cap', fields['cap']),
    slots: read.uint64('slots', fields['slots']),
    expiry: read.uint64('expiry', fields['expiry']),
    receivers: read.bytes('receivers', fields['receivers'], HASH_BYTES),
    genesisHash: read.bytes('genesisHash', fields['genesisHash'], HASH_BYTES),
    salt: read.bytes('salt', fields['salt'], SALT_BYTES),
  };
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(config, name));
  if (unknown !== undefined) throw invalid(`it has the unknown key ${JSON.stringify(unknown.slice(0, 40))}`);
  assertUsable(config);
  return config;
}

/** An agent that is the owner could end the mandate; the others could pay nothing. */
function assertUsable({ owner, agent, asset, cap, slots }: MandateConfig): void {
  if (owner === agent) throw invalid('owner and agent are the same');
  if (asset === 0n) throw invalid('asset is no asset');
  if (cap === 0n) throw invalid('cap is zero');
  if (slots === 0n || slots > MAX_SLOTS) throw invalid(`slots must be from 1 to ${MAX_SLOTS}`);
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_mandate', { message: `the mandate's configuration: ${what}` });
}

export function encodeMandateConfig(config: MandateConfig): WireMandateConfig {
  const { owner, agent, asset, cap, slots, expiry, receivers, genesisHash, salt } = config;
  return {
    owner,
    agent,
    asset: asset.toString(),
    cap: cap.toString(),
    slots: slots.toString(),
    expiry: expiry.toString(),
    receivers: encodeBase64(receivers),
    genesisHash: encodeBase64(genesisHash),
    salt: encodeBase64(salt),
  };
}
