import { type Account, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { algorandNetwork, type Network } from '@avm402/core/network';
import { developmentAccounts, type Devnode, type DevnodeOptions, startDevnode } from '@avm402/devnode';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import {
  createFacilitator,
  type Facilitator,
  type FacilitatorOptions,
  createMemorySettlementStore,
} from '../src/index.ts';

export const USDC = 10458941n;

const { facilitator: first, usdcIssuer: second, merchant } = developmentAccounts();
/** Read once: a key costs more than a signature. */
const accounts = new Map(
  Object.entries(developmentAccounts()).map(([name, { privateKey }]) => [name, parseAccount(privateKey)]),
);

/** As the harness sponsors, with a second account, so that `upto` is offered. */
export const twoSponsors = {
  account: parseAccount(first.privateKey),
  moreAccounts: [parseAccount(second.privateKey)],
  payTo: [merchant.address],
  anyone: false,
};

/** A facilitator on an embedded node, and what a buyer and a seller need to meet there. */
export class DevnodeHarness {
  readonly devnode: Devnode;
  readonly algod: AlgodClient;
  readonly network: Network;
  readonly facilitator: Facilitator;
  readonly #random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

  private constructor(devnode: Devnode, options: Partial<FacilitatorOptions>) {
    this.devnode = devnode;
    this.algod = createAlgodClient({ url: devnode.url, token: devnode.token });
    this.network = algorandNetwork(devnode.genesisHash);
    this.facilitator = createFacilitator({
      networks: [{ algods: [this.algod] }],
      sponsorship: { account: this.account('facilitator'), payTo: [this.account('merchant').address], anyone: false },
      store: createMemorySettlementStore(),
      ...options,
    });
  }

  static async start(
    options: { readonly node?: DevnodeOptions; readonly facilitator?: Partial<FacilitatorOptions> } = {},
  ): Promise<DevnodeHarness> {
    const devnode = await startDevnode({ port: 0, ...options.node });
    const harness = new DevnodeHarness(devnode, options.facilitator ?? {});
    await harness.facilitator.start();
    return harness;
  }

  async stop(): Promise<void> {
    await this.facilitator.close();
    await this.devnode.stop();
  }

  account(name: string): Account {
    const account = accounts.get(name);
    if (account === undefined) throw new TypeError(`the node has no account ${name}`);
    return account;
  }

  requirements(changes: Partial<PaymentRequirements> = {}): PaymentRequirements {
    return {
      scheme: 'exact',
      network: this.network,
      asset: String(USDC),
      amount: '10000',
      payTo: this.account('merchant').address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: this.account('facilitator').address },
      ...changes,
    };
  }

  /** A payment by our own client. */
  async pay(requirements = this.requirements(), payer = this.account('payer')): Promise<PaymentPayload> {
    const client = new ExactAvmClient({ account: payer, algod: () => this.algod, random: this.#random });
    return { ...(await client.createPaymentPayload(2, requirements)), accepted: requirements };
  }

  /** The header that every transaction on this chain needs now. */
  async header() {
    const { genesisHash, genesisId, lastRound } = await this.algod.params();
    return { genesisHash, genesisId, firstValid: lastRound || 1n, lastValid: lastRound + 100n, fee: 1000n };
  }

  /** Signs and confirms transactions, as one group if they are several. */
  async send(signer: Account, ...transactions: Transaction[]): Promise<void> {
    const group = transactions.length > 1 ? assignGroup(transactions) : transactions;
    await this.algod.sendRawTransaction(Buffer.concat(group.map((one) => signer.signTransaction(one))));
  }

  usdc(address: string): bigint {
    return this.devnode.balance(address).assets.get(USDC) ?? 0n;
  }
}

/** A payload of members that are signed (or not) already. */
export function payloadOf(accepted: PaymentRequirements, members: readonly Uint8Array[]): PaymentPayload {
  const payload = { paymentGroup: members.map(encodeBase64), paymentIndex: members.length - 1 };
  return { x402Version: 2, accepted, payload };
}

/** The members of a sponsored payment: the fee payer's unsigned, the last one signed. */
export function sponsoredMembers(signer: Account, transactions: readonly Transaction[]): Uint8Array[] {
  const group = assignGroup(transactions);
  return group.map((one, index) => (index < group.length - 1 ? encodeTransaction(one) : signer.signTransaction(one)));
}
