import type { Account } from '@avm402/algorand/account';
import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import { sha512_256 } from '@avm402/algorand/hash';
import { formatAddress } from '@avm402/algorand/address';
import { networkOfGenesis, type Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { randomBytes } from '@noble/hashes/utils.js';
import { memberFee, TRANSFER_BYTES } from '../../node/network-fees.ts';
import type { NetworkMoment } from '../../node/network-params.ts';
import { type ClientWorld, NetworkMoments } from '../../node/network-moments.ts';
import type { GroupTerms } from '../../signing/pooled-group.ts';
import { paymentSigner, type PaymentSigner } from '../../signing/payment-signer.ts';
import { validityWindow } from '../../node/validity-window.ts';
import type { TransactionWallet } from '../../signing/wallet.ts';
import type { ChannelConfig } from '../channel-config.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import { createDeposit, type CreatedDeposit, type DepositOptions } from './create-deposit.ts';
import { newChannel, type NewChannel } from './new-channel.ts';
import { createRefund, createTakeOver } from './recover-deposit.ts';

export interface ChannelPayerOptions extends ClientWorld {
  /** The account that makes deposits: one with its key, or a wallet that signs. */
  readonly account: Account | TransactionWallet;
}

/** Seconds for which the payer's own groups are valid; nobody else has to act on them. */
const OWN_GROUP_SECONDS = 60;

/** Creates everything that a payer signs for its channels. It sends nothing. */
export class ChannelPayer {
  /** The payer's address. */
  readonly address: string;
  readonly #account: Account | TransactionWallet;
  readonly #signer: PaymentSigner;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #moments: NetworkMoments;

  constructor(options: ChannelPayerOptions) {
    this.#account = options.account;
    this.#signer = paymentSigner(options.account);
    this.address = this.#signer.address;
    this.#random = options.random ?? randomBytes;
    this.#moments = new NetworkMoments(options);
  }

  /**
   * A new channel for an offer.
   * @throws X402Error `unsupported_network`, `network_mismatch`, `invalid_payment_requirements`, `invalid_amount`,
   * `unsupported_asset`, `spend_limit_exceeded`, `invalid_pay_to`
   */
  async newChannel(offer: PaymentRequirements): Promise<NewChannel> {
    const { lastRound: round } = (await this.#freshMoment(offer.network)).params;
    const { genesisHash } = parseChannelTerms(offer.extra);
    const sessionSeed = (salt: Uint8Array): Uint8Array => this.#derivedSeed({ genesisHash, salt }) ?? this.#random(32);
    return newChannel(offer, { payer: this.address, round, sessionSeed, random: this.#random });
  }

  /**
   * The session key of a channel, if this payer can derive it: that takes an account that holds its key, and a channel
   * whose session key was derived from it.
   */
  sessionKey(config: ChannelConfig): Signer | undefined {
    const seed = this.#derivedSeed(config);
    const signer = seed && createSigner(seed);
    return signer && formatAddress(signer.publicKey) === config.payerAuthorizer ? signer : undefined;
  }

  #derivedSeed(channel: Pick<ChannelConfig, 'genesisHash' | 'salt'>): Uint8Array | undefined {
    return 'sign' in this.#account ? deriveSessionSeed(this.#account, channel) : undefined;
  }

  /**
   * Signs a deposit.
   * @throws X402Error `signer_failed`, `invalid_payment_requirements`, `unsupported_network`, `network_mismatch`
   */
  async deposit(config: ChannelConfig, offer: PaymentRequirements, options: DepositOptions): Promise<CreatedDeposit> {
    const { feePayer } = parseChannelTerms(offer.extra);
    const moment = await this.#freshMoment(offer.network);
    const { maxTimeoutSeconds } = offer;
    return createDeposit({ config, ...options, feePayer, maxTimeoutSeconds, moment, signer: this.#signer });
  }

  /**
   * The signed group that returns everything after the expiry.
   * @throws X402Error `signer_failed`, `unsupported_network`, `network_mismatch`
   */
  async refund(config: ChannelConfig): Promise<Uint8Array[]> {
    return createRefund(config, this.#signer, await this.#ownTerms(config));
  }

  /**
   * The signed group that takes what a close has handed over.
   * @throws X402Error `signer_failed`, `unsupported_network`, `network_mismatch`
   */
  async takeOver(config: ChannelConfig): Promise<Uint8Array[]> {
    return createTakeOver(config, this.#signer, await this.#ownTerms(config));
  }

  async #ownTerms({ genesisHash }: ChannelConfig): Promise<GroupTerms> {
    const moment = await this.#freshMoment(networkOfGenesis(genesisHash));
    const { genesisId } = moment.params;
    return { ...validityWindow(moment, OWN_GROUP_SECONDS), genesisId, fee: memberFee(moment.params, TRANSFER_BYTES) };
  }

  /** A moment fetched now, not one from before the last block: rounds matter here, and this call is rare. */
  async #freshMoment(network: Network): Promise<NetworkMoment> {
    await this.#moments.refresh(network);
    return this.#moments.current(network);
  }
}

const SESSION_KEY_DOMAIN = new TextEncoder().encode('x402-session-key');

/**
 * The 32-byte seed of a channel's session key, derived from the account's own key, so that the account and the
 * channel's configuration are enough to recover it. Ed25519 signs the same bytes in the same way each time; the
 * signature never leaves this function.
 */
function deriveSessionSeed(
  account: Pick<Account, 'sign'>,
  { genesisHash, salt }: { readonly genesisHash: Uint8Array; readonly salt: Uint8Array },
): Uint8Array {
  return sha512_256(account.sign(Uint8Array.from([...SESSION_KEY_DOMAIN, ...genesisHash, ...salt])));
}
