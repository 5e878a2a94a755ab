import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { FieldReader } from '../wire/field-reader.ts';

const GENESIS_HASH_BYTES = 32;

/** The terms in an offer's `extra` for the channels that the seller accepts. */
export interface ChannelTerms {
  /** The account that closes channels. */
  readonly receiverAuthorizer: string;
  /** The key that authorizes claims, as an address. */
  readonly claimAuthorizer: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** The account that pays the fee of deposits. */
  readonly feePayer: string;
  /** The account that lends the ALGO that a channel's account must hold. */
  readonly funder: string;
  /** The smallest deposit, atomic units. */
  readonly minDeposit: bigint;
  /** The fewest rounds from a channel's opening to its expiry. */
  readonly minRounds: bigint;
}

const read = new FieldReader(
  (what) => new X402Error('invalid_payment_requirements', { message: `the offer of a channel: extra.${what}` }),
);

/**
 * Reads the `extra` of a `batch-settlement` offer. Other keys are ignored, because a corrective 402 has more.
 * @throws X402Error `invalid_payment_requirements` with the field's name, `invalid_amount`
 */
export function parseChannelTerms(extra: Readonly<Record<string, unknown>>): ChannelTerms {
  return {
    receiverAuthorizer: read.address('receiverAuthorizer', extra['receiverAuthorizer']),
    claimAuthorizer: read.address('claimAuthorizer', extra['claimAuthorizer']),
    genesisHash: read.bytes('genesisHash', extra['genesisHash'], GENESIS_HASH_BYTES),
    feePayer: read.address('feePayer', extra['feePayer']),
    funder: read.address('funder', extra['funder']),
    minDeposit: read.amount('minDeposit', extra['minDeposit']),
    minRounds: read.amount('minRounds', extra['minRounds']),
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
