import { accountFromSeed, type Account } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import { createSigner } from '@avm402/algorand/ed25519';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import {
  type ChannelConfig,
  channelId,
  claimAuthorizerOf,
  type ClaimPayload,
  type DepositPayload,
  encodeChannelPayload,
  type GroupTerms,
  openingGroup,
  type RefundPayload,
  signByChannel,
  signClaim,
  signVoucher,
  toppingUpGroup,
  type Voucher,
  type VoucherPayload,
} from '@avm402/avm/batch-settlement';
import type { DevnodeOptions } from '@avm402/devnode';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { PaymentRequirements } from '@x402/core/types';
import { createFacilitatorApp, type FacilitatorOptions } from '../../src/index.ts';
import { DevnodeHarness, USDC } from '../devnode-harness.ts';

export const DEPOSIT = 5_000_000n;
export const sessionKey = createSigner(new Uint8Array(32).fill(4));
const claimKey = createSigner(new Uint8Array(32).fill(5));
export const strangersKey = createSigner(new Uint8Array(32).fill(6));

type Payload = DepositPayload | VoucherPayload | RefundPayload | ClaimPayload;

/** What of a claim is other than right. */
interface ClaimChange {
  readonly voucher?: Voucher | undefined;
  readonly key?: typeof claimKey;
  readonly authorization?: Uint8Array;
}

/** A facilitator that answers over HTTP, on a real node, with a payer and a seller who make their groups themselves. */
export class ChannelStage {
  readonly harness: DevnodeHarness;
  readonly url: string;
  readonly payer: Account;
  readonly #app: ReturnType<typeof createFacilitatorApp>;
  #salt = 0;

  private constructor(harness: DevnodeHarness, app: ReturnType<typeof createFacilitatorApp>, url: string) {
    this.harness = harness;
    this.url = url;
    this.#app = app;
    this.payer = harness.account('payer');
  }

  static async start(
    options: { readonly node?: DevnodeOptions; readonly facilitator?: Partial<FacilitatorOptions> } = {},
  ): Promise<ChannelStage> {
    const harness = await DevnodeHarness.start(options);
    const app = createFacilitatorApp(harness.facilitator);
    return new ChannelStage(harness, app, await app.listen({ host: '127.0.0.1', port: 0 }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
    await this.harness.stop();
  }

  get sponsor(): string {
    return this.harness.account('facilitator').address;
  }

  readonly claimAuthorizer = claimAuthorizerOf(claimKey);

  get seller(): string {
    return this.harness.account('merchant').address;
  }

  /** A configuration that no test had before. */
  async config(change: Partial<ChannelConfig> = {}): Promise<ChannelConfig> {
    const { lastRound, genesisHash } = await this.harness.algod.params();
    const salt = new Uint8Array(16);
    new DataView(salt.buffer).setUint32(0, ++this.#salt);
    return {
      payer: this.payer.address,
      payerAuthorizer: formatAddress(sessionKey.publicKey),
      receiver: this.seller,
      receiverAuthorizer: this.sponsor,
      token: USDC,
      expiry: lastRound + 1100n,
      funder: this.sponsor,
      genesisHash,
      salt,
      ...change,
    };
  }

  async terms(fee = 1000n): Promise<GroupTerms> {
    const { lastRound, genesisId } = await this.harness.algod.params();
    return { firstValid: lastRound, lastValid: lastRound + 1000n, genesisId, fee };
  }

  /** The requirements of the seller's offer; its `extra` is what `/supported` says and the seller's claim key. */
  async requirements(change: Partial<PaymentRequirements> = {}): Promise<PaymentRequirements> {
    const supported = (await (await fetch(`${this.url}/supported`)).json()) as {
      readonly kinds: readonly { readonly scheme: string; readonly extra: Record<string, unknown> }[];
    };
    const kind = supported.kinds.find(({ scheme }) => scheme === 'batch-settlement');
    return {
      scheme: 'batch-settlement',
      network: this.harness.network,
      asset: String(USDC),
      amount: '10000',
      payTo: this.seller,
      maxTimeoutSeconds: 3600,
      extra: { ...kind?.extra, claimAuthorizer: claimAuthorizerOf(claimKey) },
      ...change,
    };
  }

  /** The payload that opens a channel, or that has other members. */
  async opening(
    config: ChannelConfig,
    amount = DEPOSIT,
    change = (members: Transaction[]): Transaction[] => members,
    payer = this.payer,
  ): Promise<DepositPayload> {
    const group = openingGroup(config, { feePayer: this.sponsor, deposit: amount }, await this.terms());
    return this.deposit(config, amount, change(group), payer);
  }

  async toppingUp(config: ChannelConfig, amount: bigint): Promise<DepositPayload> {
    const group = toppingUpGroup(config, { feePayer: this.sponsor, deposit: amount }, await this.terms());
    return this.deposit(config, amount, group);
  }

  deposit(
    channelConfig: ChannelConfig,
    amount: bigint,
    group: readonly Transaction[],
    payer = this.payer,
  ): DepositPayload {
    const id = channelId(channelConfig);
    const paymentGroup = group.map((txn) => ({
      bytes:
        txn.sender === id
          ? signByChannel(channelConfig, txn)
          : txn.sender === payer.address
            ? payer.signTransaction(txn)
            : encodeTransaction(txn),
    }));
    const voucher = signVoucher(sessionKey, id, 10_000n);
    return { type: 'deposit', channelConfig, voucher, deposit: { amount, paymentGroup } };
  }

  claim(channelConfig: ChannelConfig, amount: bigint, change: ClaimChange = {}): ClaimPayload {
    const id = channelId(channelConfig);
    const voucher = 'voucher' in change ? change.voucher : signVoucher(sessionKey, id, amount);
    const { key = claimKey, authorization = signClaim(key, { channelId: id, amount }) } = change;
    return { type: 'claim', channelConfig, amount, ...(voucher && { voucher }), authorization };
  }

  async verify(payload: Payload, requirements?: PaymentRequirements): Promise<VerifyResponse> {
    return this.#post('verify', payload, requirements);
  }

  async settle(payload: Payload, options: { key?: string; requirements?: PaymentRequirements } = {}) {
    return this.#post<SettleResponse>('settle', payload, options.requirements, options.key);
  }

  /** A channel with a deposit, confirmed. */
  async open(change: Partial<ChannelConfig> = {}, amount = DEPOSIT): Promise<ChannelConfig> {
    const config = await this.config(change);
    const opened = await this.settle(await this.opening(config, amount));
    if (!opened.success) throw new Error(`the channel was not opened: ${opened.errorReason}: ${opened.errorMessage}`);
    return config;
  }

  usdc(address: string): bigint {
    return this.harness.usdc(address);
  }

  algo(address: string): bigint {
    return this.harness.devnode.balance(address).microAlgos;
  }

  /** Mines until the channel has expired. */
  async expire({ expiry }: ChannelConfig): Promise<void> {
    const { lastRound } = await this.harness.algod.params();
    await this.harness.devnode.mine(Number(expiry - lastRound) + 1);
  }

  /** What verify and settle are asked with. */
  async message(payload: Payload, requirements?: PaymentRequirements) {
    const accepted = requirements ?? (await this.requirements());
    return {
      payload: { x402Version: 2, accepted, payload: encodeChannelPayload(payload) },
      requirements: accepted,
    };
  }

  async #post<Answer>(
    route: 'verify' | 'settle',
    payload: Payload,
    requirements?: PaymentRequirements,
    key?: string,
  ): Promise<Answer> {
    const { payload: paymentPayload, requirements: paymentRequirements } = await this.message(payload, requirements);
    const response = await fetch(`${this.url}/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements }),
    });
    return (await response.json()) as Answer;
  }
}

/** An account whose key nobody needs. */
export const nobody = accountFromSeed(new Uint8Array(32).fill(99)).address;
