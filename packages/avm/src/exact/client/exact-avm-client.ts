import type { Account } from '@avm402/algorand/account';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { SchemeNetworkClient } from '@x402/core/types';
import { randomBytes } from '@noble/hashes/utils.js';
import { findDefaultUsdc } from '../../network/usdc.ts';
import { createPayment, type CreatedPayment } from './create-payment.ts';
import { type ClientWorld, NetworkMoments } from '../../node/network-moments.ts';
import { paymentSigner, type PaymentSigner } from '../../signing/payment-signer.ts';
import type { TransactionWallet } from '../../signing/wallet.ts';

export interface ExactAvmClientOptions extends ClientWorld {
  /**
   * The payer: an account with its key, or a wallet that signs (`ClientAvmSigner` of the stock package, use-wallet).
   */
  readonly account: Account | TransactionWallet;
}

/**
 * The client side of the `exact` scheme on Algorand. Registers in a stock `x402Client`: `client.register('algorand:*',
 * new ExactAvmClient({ account, algod }))`.
 */
export class ExactAvmClient implements SchemeNetworkClient {
  readonly scheme = 'exact';
  /** The payer's address. */
  readonly address: string;
  readonly #signer: PaymentSigner;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #moments: NetworkMoments;

  constructor(options: ExactAvmClientOptions) {
    this.#signer = paymentSigner(options.account);
    this.address = this.#signer.address;
    this.#random = options.random ?? randomBytes;
    this.#moments = new NetworkMoments(options);
  }

  /** USDC on the known networks, so that stock spend controls know its decimals. */
  readonly findDefaultAsset = findDefaultUsdc;

  /**
   * Builds and signs the payment for one offer. It sends nothing.
   * @throws X402Error `unsupported_scheme`, `unsupported_network`, `network_mismatch` (algod is of another network),
   * `unsupported_asset`, `invalid_amount`, `invalid_pay_to`, `invalid_exact_avm_payer_is_receiver`,
   * `fee_payer_suspicious`, `fee_above_limit`, `signer_failed`
   */
  async createPayment(requirements: PaymentRequirements): Promise<CreatedPayment> {
    if (requirements.scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    const moment = await this.#moments.current(requirements.network);
    return createPayment({ requirements, ...moment, signer: this.#signer, nonce: this.#random(16) });
  }

  /** The stock interface to {@link createPayment}. */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
  ): Promise<{ x402Version: number; payload: Record<string, unknown> }> {
    const { payload } = await this.createPayment(requirements);
    return { x402Version, payload };
  }

  /**
   * Fetches the parameters of a network again: before the first payment, or after a payment expired.
   * @throws as {@link createPayment}
   */
  async refresh(network: Network): Promise<void> {
    await this.#moments.refresh(network);
  }
}
