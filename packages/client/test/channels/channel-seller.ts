import { parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { createSigner } from '@avm402/algorand/ed25519';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import {
  type ChannelConfig,
  channelId,
  type ChannelPayload,
  claimAuthorizerOf,
  closingGroup,
  encodeChannelTerms,
  handingOverGroup,
  type ParsedDeposit,
  parseChannelPayload,
  refundGroup,
  type RefundPayload,
  signByChannel,
  type Voucher,
} from '@avm402/avm/batch-settlement';
import {
  admit,
  type ChannelCredit,
  charge,
  checkChannelConfig,
  checkClose,
  checkDeposit,
  checkVoucher,
  openCredit,
} from '@avm402/avm/batch-settlement/server/record';
import { isX402Error } from '@avm402/core/errors';
import { decodePaymentSignatureHeader, encodePaymentResponseHeader } from '@avm402/core/headers';
import { ALGORAND_TESTNET, networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { accounts, type Chain } from '../chain.ts';
import { type Answer, asking, type Answers } from '../seller.ts';

const closer = parseAccount(accounts.facilitator.privateKey);
const claimKey = createSigner(new Uint8Array(32).fill(5));

/** One channel as its seller knows it. */
export interface SoldChannel {
  readonly config: ChannelConfig;
  credit: ChannelCredit;
  highest: Voucher | undefined;
}

export interface ChannelSellerOptions {
  /** Atomic units. Default: all that was offered. */
  readonly cost?: (maximum: bigint) => bigint;
  /** Answers by a stream, which is charged so much after its head, atomic units. */
  readonly streamed?: bigint;
  readonly offer?: Partial<PaymentRequirements>;
  readonly terms?: { readonly minRounds?: bigint; readonly minDeposit?: bigint };
}

/** A seller with its facilitator in one, made of the scheme's own functions: it settles deposits on a real node. */
export class ChannelSeller {
  readonly channels = new Map<string, SoldChannel>();
  readonly options: ChannelSellerOptions;
  /** Payloads that came, by their type. */
  readonly came: ChannelPayload[] = [];
  readonly network = ALGORAND_TESTNET;
  readonly #chain: Chain;
  readonly #settled = new Set<string>();
  readonly #retired = new Set<string>();

  constructor(chain: Chain, options: ChannelSellerOptions = {}) {
    this.#chain = chain;
    this.options = options;
  }

  /** The offer of this seller: one cent through a channel. */
  async offer(): Promise<PaymentRequirements> {
    const { genesisHash } = await this.#algod.params();
    const { offer, terms } = this.options;
    return {
      scheme: 'batch-settlement',
      network: networkOfGenesis(genesisHash),
      asset: '10458941',
      amount: '10000',
      payTo: accounts.merchant.address,
      maxTimeoutSeconds: 60,
      extra: encodeChannelTerms({
        receiverAuthorizer: closer.address,
        claimAuthorizer: claimAuthorizerOf(claimKey),
        genesisHash,
        feePayer: closer.address,
        funder: closer.address,
        minDeposit: 100_000n,
        minRounds: 2000n,
        ...terms,
      }),
      ...offer,
    };
  }

  /** Answers as an honest seller does. */
  readonly honest: Answers = async ({ headers }) => {
    const header = headers['payment-signature'];
    const offer = await this.offer();
    if (typeof header !== 'string') return asking([offer]);
    try {
      const { x402Version, payload: carried } = decodePaymentSignatureHeader(header);
      if (x402Version !== 2) return { status: 400 };
      const payload = parseChannelPayload(carried);
      this.came.push(payload);
      return await this.#serve(payload, offer);
    } catch (error) {
      if (isX402Error(error)) return asking([offer], { error: error.code });
      throw error;
    }
  };

  async #serve(payload: ChannelPayload, offer: PaymentRequirements): Promise<Answer> {
    const { channelConfig: config } = payload;
    checkChannelConfig(config, offer);
    if (payload.type === 'refund') return this.#refund(payload, offer);
    const { voucher } = payload;
    if (!voucher) return asking([offer], { error: 'invalid_batch_settlement_avm_payload' });
    checkVoucher(config, voucher);
    const transaction = payload.type === 'deposit' ? await this.settle(payload, offer) : '';
    const channel = this.channels.get(channelId(config));
    if (!channel) return asking([offer], { error: 'invalid_batch_settlement_avm_channel_not_found' });
    if (this.#retired.has(channelId(config))) return this.corrective(channel, offer, 'channel_expiring');
    const maximum = BigInt(offer.amount);
    const admitted = admit(channel.credit, { amount: voucher.maxClaimableAmount, maximum });
    if (typeof admitted === 'string') return this.corrective(channel, offer, admitted);
    if (voucher.maxClaimableAmount >= (channel.highest?.maxClaimableAmount ?? 0n)) channel.highest = voucher;
    const cost = this.options.cost?.(maximum) ?? maximum;
    channel.credit = charge(admitted, voucher.maxClaimableAmount, cost);
    return this.#goOn(channel, receiptOf(channel, { cost, transaction, network: offer.network }));
  }

  /** The answer, or the stream that goes on at a cost. */
  #goOn(channel: SoldChannel, headers: Readonly<Record<string, string>>): Answer {
    const { streamed } = this.options;
    if (streamed === undefined) return { headers };
    channel.credit = { ...channel.credit, charged: channel.credit.charged + streamed };
    return { headers: { ...headers, 'Content-Type': 'text/event-stream' }, body: 'data: sunny\n\n' };
  }

  async #refund(payload: RefundPayload, offer: PaymentRequirements): Promise<Answer> {
    checkClose(payload);
    const channel = this.channels.get(channelId(payload.channelConfig));
    if (!channel) return asking([offer], { error: 'invalid_batch_settlement_avm_channel_not_found' });
    await this.close(channel);
    return { headers: receiptOf(channel, { cost: 0n, transaction: '', network: offer.network }) };
  }

  /** A 402 that tells what this seller knows of the channel. */
  corrective({ config, credit, highest }: SoldChannel, offer: PaymentRequirements, reason: string): Answer {
    const extra = {
      ...offer.extra,
      channelState: {
        channelId: channelId(config),
        balance: credit.balance.toString(),
        totalClaimed: '0',
        chargedCumulativeAmount: credit.charged.toString(),
      },
      ...(highest && {
        voucherState: {
          signedMaxClaimable: highest.maxClaimableAmount.toString(),
          signature: encodeBase64(highest.signature),
        },
      }),
    };
    return asking([{ ...offer, extra }], { error: `invalid_batch_settlement_avm_${reason}` });
  }

  /** Settles a deposit as the facilitator does; one that is settled stays as it is. */
  async settle(payload: ParsedDeposit, offer: PaymentRequirements): Promise<string> {
    const { members, txId, amount } = checkDeposit(payload, offer);
    const id = channelId(payload.channelConfig);
    if (this.#settled.has(txId)) {
      this.#credit(id, payload.channelConfig, this.channels.has(id) ? 0n : amount);
      return txId;
    }
    const group = members.map(({ bytes, signed: { txn, signature, logicSignature, multisig } }) => {
      const isSigned = (signature ?? logicSignature ?? multisig) !== undefined;
      return isSigned || txn.sender !== closer.address ? bytes : closer.signTransaction(decodeTransaction(bytes));
    });
    await this.#submit(group);
    this.#settled.add(txId);
    this.#credit(id, payload.channelConfig, amount);
    return txId;
  }

  #credit(id: string, config: ChannelConfig, amount: bigint): void {
    const known = this.channels.get(id);
    if (known) known.credit = { ...known.credit, balance: known.credit.balance + amount };
    else this.channels.set(id, { config, credit: openCredit(amount), highest: undefined });
  }

  /** Takes no vouchers of a channel any more. */
  retire(id: string): void {
    this.#retired.add(id);
  }

  /** Loses its record of channels; the facilitator still knows which deposits it has settled. */
  forget(): void {
    this.channels.clear();
  }

  /** Claims what was charged. */
  async close({ config, credit, highest }: SoldChannel): Promise<void> {
    await this.#send(config, closingGroup(config, credit.charged, await this.#terms()), highest);
    this.channels.delete(channelId(config));
  }

  /** The same where the payer can't receive the asset. */
  async handOver({ config, credit, highest }: SoldChannel): Promise<void> {
    await this.#send(config, handingOverGroup(config, credit.charged, await this.#terms()), highest);
    this.channels.delete(channelId(config));
  }

  /** Returns everything after the expiry, as a facilitator does whose ALGO it is. */
  async refund({ config }: SoldChannel): Promise<void> {
    await this.#send(config, refundGroup(config, closer.address, await this.#terms()), undefined);
  }

  async #send(config: ChannelConfig, group: readonly Transaction[], voucher: Voucher | undefined): Promise<void> {
    const signed = group.map((txn, index) => {
      if (index === 0) return closer.signTransaction(txn);
      return signByChannel(config, txn, index === 1 ? voucher : undefined);
    });
    for (const bytes of signed) decodeMember(bytes);
    await this.#submit(signed);
  }

  /** Resolves when a block holds the group. */
  async #submit(group: readonly Uint8Array[]): Promise<void> {
    const { txId } = await this.#algod.sendRawTransaction(Buffer.concat(group));
    while (!(await this.#algod.pendingTransaction(txId))?.confirmedRound) {
      await this.#algod.waitForBlockAfter((await this.#algod.status()).lastRound);
    }
  }

  async #terms() {
    const { lastRound, genesisId } = await this.#algod.params();
    return { firstValid: lastRound, lastValid: lastRound + 1000n, genesisId, fee: 1000n };
  }

  get #algod(): AlgodClient {
    return this.#chain.algod;
  }
}

export function receiptOf(
  { config, credit }: SoldChannel,
  { cost, transaction, network }: { cost: bigint; transaction: string; network: PaymentRequirements['network'] },
): Record<string, string> {
  const channelState = {
    channelId: channelId(config),
    balance: credit.balance.toString(),
    totalClaimed: '0',
    chargedCumulativeAmount: credit.charged.toString(),
  };
  const extra = { chargedAmount: cost.toString(), channelState };
  return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader({ success: true, transaction, network, extra }) };
}
