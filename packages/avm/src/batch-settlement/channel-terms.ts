import { isAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { parseAtomicAmount } from '@avm402/core/price';

const GENESIS_HASH_BYTES = 32;

/** What the `extra` of an offer says of the channels that the seller takes. */
export interface ChannelTerms {
  /** Who closes channels. */
  readonly receiverAuthorizer: string;
  /** The key that authorizes claims, as an address. */
  readonly claimAuthorizer: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** Who pays the fee of deposits. */
  readonly feePayer: string;
  /** Who lends the ALGO that a channel's account must hold. */
  readonly funder: string;
  /** Least deposit, atomic units. */
  readonly minDeposit: bigint;
  /** Least distance of a channel's expiry when it opens, rounds. */
  readonly minRounds: bigint;
}

/**
 * Reads the `extra` of a `batch-settlement` offer. Other keys are ignored: a corrective 402 has more.
 * @throws X402Error `invalid_payment_requirements` with the field's name, `invalid_amount`
 */
export function parseChannelTerms(extra: Readonly<Record<string, unknown>>): ChannelTerms {
  return {
    receiverAuthorizer: address(extra, 'receiverAuthorizer'),
    claimAuthorizer: address(extra, 'claimAuthorizer'),
    genesisHash: genesisHash(extra),
    feePayer: address(extra, 'feePayer'),
    funder: address(extra, 'funder'),
    minDeposit: amount(extra, 'minDeposit'),
    minRounds: amount(extra, 'minRounds'),
  };
}

/** The `extra` of an offer with these terms. */
export function encodeChannelTerms({ genesisHash: hash, minDeposit, minRounds, ...addresses }: ChannelTerms) {
  return {
    ...addresses,
    genesisHash: encodeBase64(hash),
    minDeposit: minDeposit.toString(),
    minRounds: minRounds.toString(),
  };
}

type Extra = Readonly<Record<string, unknown>>;

function address(extra: Extra, name: string): string {
  const value = extra[name];
  if (typeof value !== 'string' || !isAddress(value)) throw invalid(`extra.${name} is no address`);
  return value;
}

function amount(extra: Extra, name: string): bigint {
  const value = extra[name];
  if (typeof value !== 'string') throw invalid(`extra.${name} must be text`);
  return parseAtomicAmount(value);
}

function genesisHash(extra: Extra): Uint8Array {
  const value = extra['genesisHash'];
  const bytes = typeof value === 'string' && value.length <= 2 * GENESIS_HASH_BYTES ? decodeBase64(value) : undefined;
  if (bytes?.length !== GENESIS_HASH_BYTES)
    throw invalid(`extra.genesisHash is not base64 of ${GENESIS_HASH_BYTES} bytes`);
  return bytes;
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_payment_requirements', { message: `the offer of a channel: ${what}` });
}
