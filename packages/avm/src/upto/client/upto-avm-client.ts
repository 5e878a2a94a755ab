import type { Account } from '@avm402/algorand/account';
import { requireAccount } from '@avm402/algorand/require-account';
import { isAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { programSigningBytes } from '@avm402/algorand/program';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import { randomBytes } from '@noble/hashes/utils.js';
import type { SchemeNetworkClient } from '@x402/core/types';
import { type ClientWorld, NetworkMoments } from '../../node/network-moments.ts';
import type { NetworkMoment } from '../../node/network-params.ts';
import { validityWindow } from '../../node/validity-window.ts';
import { findDefaultUsdc } from '../../network/usdc.ts';
import { parseAssetId } from '../../network/asset-id.ts';
import { encodeUptoPayload, type UptoPayment } from '../payload.ts';
import { LEASE_RANDOM_BYTES, uptoLease } from '../../signing/upto-lease.ts';
import { type UptoAuthorization, uptoProgram } from '../upto-program.ts';

export interface UptoAvmClientOptions extends ClientWorld {
  /** The payer: an account with its key. Wallets don't sign programs. */
  readonly account: Account;
}

/** A new authorization, and the facts by which the payer's own node can find its settlement. */
export interface CreatedAuthorization {
  readonly payload: Record<string, unknown>;
  /** In base64. The transfer that settles the authorization carries this lease; its TxID depends on the charge. */
  readonly lease: string;
  /** The first and last round in which it can be settled. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
}

/**
 * The client side of the `upto` scheme on Algorand: authorizes one transfer of at most the offer's amount. Registers in
 * a stock `x402Client`: `client.register('algorand:*', new UptoAvmClient({ account, algod }))`.
 */
export class UptoAvmClient implements SchemeNetworkClient {
  readonly scheme = 'upto';
  /** USDC on the known networks, so that stock spend controls know its decimals. */
  readonly findDefaultAsset = findDefaultUsdc;
  readonly #account: Account;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #moments: NetworkMoments;

  constructor(options: UptoAvmClientOptions) {
    this.#account = requireAccount(options.account);
    this.#random = options.random ?? randomBytes;
    this.#moments = new NetworkMoments(options);
  }

  /**
   * Authorizes one transfer of at most the offer's amount. Sends nothing, and nothing leaves the account before the
   * seller settles.
   * @throws X402Error `unsupported_scheme`, `unsupported_network`, `network_mismatch`, `unsupported_asset`,
   * `invalid_amount`, `invalid_pay_to`, `fee_payer_suspicious`
   */
  async authorize(requirements: PaymentRequirements): Promise<UptoPayment> {
    return this.#authorizeAt(requirements, await this.#momentOf(requirements));
  }

  /**
   * Like {@link authorize}, with the facts by which the settlement is found on chain.
   * @throws as {@link authorize}
   */
  async createPayment(requirements: PaymentRequirements): Promise<CreatedAuthorization> {
    const moment = await this.#momentOf(requirements);
    const payment = this.#authorizeAt(requirements, moment);
    const { lease, lastValid } = payment.authorization;
    const { lastRound: firstValid } = moment.params;
    return { payload: encodeUptoPayload(payment), lease: encodeBase64(lease), firstValid, lastValid };
  }

  /** The stock interface to {@link authorize}. */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
  ): Promise<{ x402Version: number; payload: Record<string, unknown> }> {
    return { x402Version, payload: encodeUptoPayload(await this.authorize(requirements)) };
  }

  /**
   * Fetches the parameters of a network again, after an authorization expired.
   * @throws as {@link authorize}
   */
  async refresh(network: Network): Promise<void> {
    await this.#moments.refresh(network);
  }

  async #momentOf({ scheme, network }: PaymentRequirements): Promise<NetworkMoment> {
    if (scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    return this.#moments.current(network);
  }

  #authorizeAt(requirements: PaymentRequirements, moment: NetworkMoment): UptoPayment {
    const authorization = this.#authorization(requirements, moment);
    const account = this.#account;
    const signature = account.sign(programSigningBytes(uptoProgram(authorization)));
    const isRekeyed = account.signerAddress !== account.address;
    return {
      payer: account.address,
      authorization,
      signature,
      ...(isRekeyed && { authAddress: account.signerAddress }),
    };
  }

  #authorization(requirements: PaymentRequirements, moment: NetworkMoment): UptoAuthorization {
    const { payTo, asset, amount, maxTimeoutSeconds, extra } = requirements;
    const { feePayer } = extra;
    const payer = this.#account.address;
    if (!isAddress(payTo) || payTo === payer) throw new X402Error('invalid_pay_to');
    if (typeof feePayer !== 'string' || !isAddress(feePayer) || feePayer === payTo || feePayer === payer) {
      throw new X402Error('fee_payer_suspicious', { message: 'the offer does not name who settles it' });
    }
    return {
      receiver: payTo,
      feePayer,
      genesisHash: moment.params.genesisHash,
      token: parseAssetId(asset),
      maxAmount: parseAtomicAmount(amount),
      lastValid: validityWindow(moment, maxTimeoutSeconds).lastValid,
      lease: uptoLease(this.#random(LEASE_RANDOM_BYTES)),
    };
  }
}
