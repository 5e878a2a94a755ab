import { isAlgorandError } from '@avm402/algorand/errors';
import { formatAddress } from '@avm402/algorand/address';
import { programSigningBytes } from '@avm402/algorand/program';
import { type AssetTransferTransaction, type Transaction, transactionId } from '@avm402/algorand/transaction';
import { expect } from 'vitest';
import { type ChannelConfig, channelId } from '../../src/batch-settlement/channel-config.ts';
import {
  closingGroup,
  handingOverGroup,
  openingGroup,
  refundGroup,
  signByChannel,
  toppingUpGroup,
} from '../../src/batch-settlement/channel-groups.ts';
import { signVoucher } from '../../src/batch-settlement/voucher.ts';
import { type GroupTerms, pooledGroup } from '../../src/signing/pooled-group.ts';
import { uptoLease } from '../../src/signing/upto-lease.ts';
import type { UptoPayment } from '../../src/upto/payload.ts';
import { signByAuthorization, uptoGroup } from '../../src/upto/upto-group.ts';
import { uptoProgram } from '../../src/upto/upto-program.ts';
import type { Random } from '../mandate/thieves.ts';
import { type ChainStage, closer, FEE, payer, regrouped, seller, sessionKey, stranger, USDC } from './stage.ts';

/** What came of sequences. */
export interface ChannelThefts {
  /** Groups that the chain took, and those that it refused. */
  accepted: number;
  refused: number;
  /** Claims of an amount, and transfers by the payer to a channel that had been claimed from. */
  claims: number;
  late: number;
}

interface Channel {
  readonly id: string;
  readonly config: ChannelConfig;
  /** The amount of the highest voucher, and what was claimed. */
  voucher: bigint;
  claimed: bigint;
}

const thieves = [closer, stranger, seller];

/**
 * A payer signs deposits, vouchers, payments by `exact` and authorizations of `upto`. Its seller, closer and sponsor send
 * what it signed at any time, and build groups of its channels' programs, its authorizations and their own transactions.
 * No group costs the payer more than the claims and payments in it, and no channel pays more than its highest voucher.
 */
export class ChannelThieves {
  readonly #chain: ChainStage;
  readonly #genesisHash: Uint8Array;
  readonly #random: Random;
  readonly #thefts: ChannelThefts;
  readonly #channels: Channel[] = [];
  readonly #authorizations: UptoPayment[] = [];
  /** What the payer signed, and the ids of the transactions in it. */
  readonly #groups: (readonly Transaction[])[] = [];
  readonly #signed = new Set<string>();

  constructor(chain: ChainStage, genesisHash: Uint8Array, random: Random, thefts: ChannelThefts) {
    this.#chain = chain;
    this.#genesisHash = genesisHash;
    this.#random = random;
    this.#thefts = thefts;
  }

  async run(steps: number): Promise<void> {
    this.#openChannel();
    for (const group of this.#groups) await this.#send(group);
    for (let step = 0; step < steps; step += 1) {
      if (this.#random(3) === 0) this.#payerSigns();
      else await this.#send(this.#random(3) === 0 ? this.#one(this.#groups) : this.#changed(this.#usual()));
      if (this.#random(4) === 0) await this.#chain.node.mine(1 + this.#random(4));
    }
  }

  #one<T>(choices: readonly T[]): T {
    const chosen = choices[this.#random(choices.length)];
    if (chosen === undefined) throw new RangeError('there is nothing to choose from');
    return chosen;
  }

  #bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#random(256));
  }

  #terms(): GroupTerms {
    const firstValid = this.#chain.node.latestRound;
    return { firstValid, lastValid: firstValid + BigInt(this.#one([2, 4, 900])), fee: 5n * FEE };
  }

  #payerSigns(): void {
    const channel = this.#one(this.#channels);
    const to = this.#one([seller.address, channel.id, channel.id]);
    const kind = this.#random(7);
    if (kind === 0 && this.#channels.length < 3) this.#openChannel();
    else if (kind === 1) channel.voucher += BigInt(this.#random(400));
    else if (kind < 4) this.#authorize(to);
    else {
      const sender = this.#one([stranger.address, closer.address]);
      const lead = { type: 'pay', sender, receiver: sender, amount: 0n } as const;
      const receiver = kind === 4 ? to : channel.id;
      const transfer = { type: 'axfer', sender: payer.address, receiver, assetId: USDC, amount: 500n } as const;
      this.#sign(pooledGroup(this.#genesisHash, this.#terms(), [lead, { ...transfer, note: this.#bytes(4) }]));
    }
  }

  #sign(group: readonly Transaction[]): void {
    this.#groups.push(group);
    for (const txn of group) if (txn.sender === payer.address) this.#signed.add(transactionId(txn));
  }

  #openChannel(): void {
    const config: ChannelConfig = {
      payer: payer.address,
      payerAuthorizer: formatAddress(sessionKey.publicKey),
      receiver: seller.address,
      receiverAuthorizer: closer.address,
      token: USDC,
      expiry: this.#chain.node.latestRound + BigInt(this.#one([15, 5_000, 5_000])),
      funder: stranger.address,
      genesisHash: this.#genesisHash,
      salt: this.#bytes(16),
    };
    this.#channels.push({ id: channelId(config), config, voucher: BigInt(300 + this.#random(700)), claimed: 0n });
    this.#sign(openingGroup(config, { feePayer: stranger.address, deposit: 1_000n }, this.#terms()));
  }

  #authorize(receiver: string): void {
    const authorization = {
      receiver,
      feePayer: this.#one([closer.address, stranger.address]),
      genesisHash: this.#genesisHash,
      token: USDC,
      maxAmount: 300n,
      lastValid: this.#chain.node.latestRound + BigInt(this.#one([30, 900])),
      lease: uptoLease(this.#bytes(16)),
    };
    const signature = payer.sign(programSigningBytes(uptoProgram(authorization)));
    this.#authorizations.push({ payer: payer.address, authorization, signature });
  }

  /** A group as honest ones build it, in which `upto`, or a transfer by somebody else, takes the place of the payer's. */
  #usual(): readonly Transaction[] {
    const channel = this.#one(this.#channels);
    const { config, voucher } = channel;
    const held = this.#held(channel.id);
    const amount = this.#random(4) === 0 ? BigInt(this.#random(1_500)) : voucher < held ? voucher : held;
    const kind = this.#random(10);
    if (kind < 3) return closingGroup(config, amount, this.#terms());
    if (kind === 3) return handingOverGroup(config, amount, this.#terms());
    if (kind === 4) return refundGroup(config, stranger.address, this.#terms());
    const add = kind < 9 ? openingGroup : toppingUpGroup;
    const group = add(config, { feePayer: this.#one([closer, stranger]).address, deposit: 1n }, this.#terms());
    const own = this.#authorizations.filter(({ authorization }) => authorization.receiver === channel.id);
    const from = [...own, ...this.#authorizations].at(this.#random(2 + own.length));
    if (from === undefined) return [...group.slice(0, -1), this.#stray(channel)];
    const [lead, transfer] = uptoGroup(from, { amount: this.#one([0n, 1n, 300n, 301n]), fee: 5n * FEE });
    return lead && transfer ? [lead, ...group.slice(1, -1), transfer] : group;
  }

  /** The group with up to two changes. */
  #changed(group: readonly Transaction[]): readonly Transaction[] {
    let members = [...group];
    for (let changes = Math.max(0, this.#random(5) - 2); changes > 0; changes -= 1) {
      const at = this.#random(members.length);
      const kind = this.#random(6);
      const other = this.#one([...this.#usual(), this.#stray(this.#one(this.#channels))]);
      if (kind === 0) members.splice(at, 1);
      else if (kind === 1) members.splice(at, 0, other);
      else if (kind === 2) members[at] = other;
      else if (kind === 3) members = [...members, ...this.#usual()];
      else members[at] = { ...members[at], ...this.#one<object>(this.#oddities()) } as Transaction;
    }
    return members.length === 0 ? group : regrouped(members.slice(0, 16));
  }

  #oddities(): object[] {
    const { id } = this.#one(this.#channels);
    const account = this.#one([...thieves, payer, { address: id }]).address;
    const [lease] = this.#authorizations.map(({ authorization }) => authorization.lease);
    return [
      { rekeyTo: account },
      { assetSender: account },
      { assetCloseTo: account },
      { closeRemainderTo: account },
      { receiver: account },
      { sender: account },
      { amount: BigInt(this.#random(2_000)) },
      { fee: FEE },
      { lease: lease ?? this.#bytes(32) },
    ];
  }

  #stray({ id }: Channel): Transaction {
    const terms = { ...this.#terms(), fee: 0n };
    const sender = this.#one(thieves).address;
    const [stray] = pooledGroup(this.#genesisHash, terms, [
      { type: 'axfer', sender, receiver: id, assetId: USDC, amount: BigInt(this.#random(3)) },
    ]);
    return stray as Transaction;
  }

  #held(address: string): bigint {
    return this.#chain.node.balance(address).assets.get(USDC) ?? 0n;
  }

  /** What is the payer's: what it holds, and what comes back from its channels. */
  #wealth(): bigint {
    return this.#channels.reduce((sum, { id }) => sum + this.#held(id), this.#held(payer.address));
  }

  async #send(group: readonly Transaction[]): Promise<void> {
    const bytes = group.map((txn) => this.#signedBytes(txn));
    if (!bytes.every((one) => one !== undefined)) return;
    const wealth = this.#wealth();
    try {
      await this.#chain.algod.sendRawTransaction(Buffer.concat(bytes));
    } catch (error) {
      if (!isAlgorandError(error) || error.reason === undefined) throw error;
      this.#thefts.refused += 1;
      return;
    }
    this.#thefts.accepted += 1;
    expect(this.#wealth()).toBeGreaterThanOrEqual(wealth - this.#paidBy(group));
    for (const { claimed, voucher } of this.#channels) expect(claimed).toBeLessThanOrEqual(voucher);
  }

  /** What the payer and its channels pay the seller in a group. */
  #paidBy(group: readonly Transaction[]): bigint {
    let paid = 0n;
    for (const txn of group) {
      if (txn.type === 'axfer' && txn.receiver === seller.address) paid += this.#paymentBy(txn);
      const to = this.#channels.find(({ id }) => txn.type === 'axfer' && id === txn.receiver);
      if (txn.sender === payer.address && to && to.claimed > 0n) this.#thefts.late += 1;
    }
    return paid;
  }

  #paymentBy({ sender, amount }: AssetTransferTransaction): bigint {
    const channel = this.#channels.find(({ id }) => id === sender);
    if (!channel) return sender === payer.address ? amount : 0n;
    channel.claimed += amount;
    if (amount > 0n) this.#thefts.claims += 1;
    return amount;
  }

  /** Signed by whoever agrees to it; undefined if that is nobody. */
  #signedBytes(txn: Transaction): Uint8Array | undefined {
    const channel = this.#channels.find(({ id }) => id === txn.sender);
    if (channel) return signByChannel(channel.config, txn, signVoucher(sessionKey, channel.id, channel.voucher));
    const thief = thieves.find(({ address }) => address === txn.sender);
    const givesAway = ['rekeyTo', 'assetCloseTo', 'closeRemainderTo'].some((name) => name in txn);
    if (thief) return givesAway ? undefined : thief.signTransaction(txn);
    if (txn.sender === payer.address && this.#signed.has(transactionId(txn))) return payer.signTransaction(txn);
    const lease = txn.lease ?? new Uint8Array(32);
    const from = this.#authorizations.find(({ authorization }) => Buffer.from(authorization.lease).equals(lease));
    return txn.sender === payer.address && from ? signByAuthorization(from, txn) : undefined;
  }
}
