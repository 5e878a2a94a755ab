import { formatAddress, isAddress, parseAddress } from '@avm402/algorand/address';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { createSigner } from '@avm402/algorand/ed25519';
import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAssetId } from '../../network/asset-id.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { boundedTerms } from './channel-bounds.ts';

const SALT_BYTES = 16;

export interface NewChannelOptions {
  readonly payer: string;
  /** The network's latest round. */
  readonly round: bigint;
  /** The 32-byte seed of the session key for a channel with this salt. */
  readonly sessionSeed: (salt: Uint8Array) => Uint8Array;
  readonly random: (bytes: number) => Uint8Array;
}

/** A channel that does not exist yet, with the seed of its session key. */
export interface NewChannel {
  readonly config: ChannelConfig;
  readonly seed: Uint8Array;
}

/**
 * The configuration of a new channel for an offer. Its address is not a point of the curve, because nodes refuse
 * programs at such addresses on the asynchronous route (half of all salts fit).
 * @throws X402Error `invalid_payment_requirements`, `invalid_amount`, `unsupported_asset`, `spend_limit_exceeded`,
 * `invalid_pay_to`
 */
export function newChannel(offer: PaymentRequirements, options: NewChannelOptions): NewChannel {
  const terms = boundedTerms(offer);
  const { payTo: receiver } = offer;
  // To the payer itself every transfer is a claim, also after the expiry: only the closer could give the deposit back.
  if (!isAddress(receiver) || receiver === options.payer) throw new X402Error('invalid_pay_to');
  for (;;) {
    const salt = options.random(SALT_BYTES);
    const seed = options.sessionSeed(salt);
    const config: ChannelConfig = {
      payer: options.payer,
      payerAuthorizer: formatAddress(createSigner(seed).publicKey),
      receiver,
      receiverAuthorizer: terms.receiverAuthorizer,
      token: parseAssetId(offer.asset),
      // The deposit may use its whole window in addition to the minimum lifetime.
      expiry: options.round + terms.minRounds + MAX_WINDOW_ROUNDS,
      funder: terms.funder,
      genesisHash: terms.genesisHash,
      salt,
    };
    if (!isCurvePoint(parseAddress(channelId(config)))) return { config, seed };
  }
}
