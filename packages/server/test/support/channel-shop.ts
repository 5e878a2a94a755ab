import { parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import {
  type ChannelConfig,
  channelId,
  encodeChannelPayload,
  signClose,
  signVoucher,
  type Voucher,
} from '@avm402/avm/batch-settlement';
import { ChannelPayer } from '@avm402/avm/batch-settlement/client';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import { withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { developmentAccounts, type Devnode, startDevnode } from '@avm402/devnode';
import { x402ResourceServer } from '@x402/core/server';
import express, { type Express } from 'express';
import {
  type ChannelOptions,
  type ChannelStore,
  createSeller,
  createMemoryChannelStore,
  type PaymentEvent,
  type PaymentOptions,
  type Seller,
} from '../../src/index.ts';
import { channelFacilitator, type ChannelFacilitator } from './channel-facilitator.ts';
import { afterwards, listen, offerAt } from './shop.ts';

const USDC = 10_458_941n;
const named = developmentAccounts();
export const payer = parseAccount(named.payer.privateKey);
export const merchant = named.merchant.address;

/** A chain, and a facilitator on it. */
export interface ChannelMarket {
  readonly node: Devnode;
  readonly algod: AlgodClient;
  readonly facilitator: ChannelFacilitator;
  usdcOf(address: string): Promise<bigint>;
}

/** A market that is closed after the test. */
export async function openMarket(): Promise<ChannelMarket> {
  const node = await startDevnode({ port: 0 });
  afterwards(() => node.stop());
  const algod = createAlgodClient({ url: node.url, token: node.token });
  return {
    node,
    algod,
    facilitator: await channelFacilitator(node),
    usdcOf: async (address) => (await algod.accountAsset(address, USDC))?.amount ?? 0n,
  };
}

export interface ChannelShopOptions extends PaymentOptions {
  readonly market?: ChannelMarket;
  readonly channels?: Partial<ChannelOptions>;
  /** Sets up what stands around the middleware. */
  readonly before?: (app: Express) => void;
  /** Sets up handlers after the middleware; default: GET /report answers JSON. */
  readonly handlers?: (app: Express, count: () => void) => void;
}

export interface ChannelShop {
  readonly market: ChannelMarket;
  readonly url: string;
  readonly seller: Seller;
  readonly store: ChannelStore;
  readonly events: PaymentEvent[];
  /** How often a handler ran. */
  readonly runs: () => number;
}

/** An Express app that sells `GET /report` for at most 100 units, by channels. */
export async function openChannelShop(options: ChannelShopOptions = {}): Promise<ChannelShop> {
  const { market = await openMarket(), channels, before, handlers, ...given } = options;
  const store = channels?.store ?? createMemoryChannelStore();
  const server = new x402ResourceServer(market.facilitator).register('algorand:*', new BatchSettlementAvmServer());
  const events: PaymentEvent[] = [];
  const onEvent = (event: PaymentEvent): void => void events.push(event);
  const seller = createSeller({ server, channels: { sweepMs: 1_000_000, ...channels, store }, onEvent, ...given });
  afterwards(async () => seller.channels?.stop());
  const app = express();
  before?.(app);
  let runs = 0;
  const price = { asset: USDC.toString(), amount: '100' };
  const accepts = { scheme: 'batch-settlement', network: market.facilitator.network, payTo: merchant, price } as const;
  app.use(seller.middleware({ 'GET /report': { accepts, description: 'A report' } }));
  const count = (): void => void runs++;
  if (handlers) handlers(app, count);
  else {
    app.get('/report', (_request, response) => {
      count();
      response.json({ report: runs });
    });
  }
  return { market, url: `${await listen(app)}/report`, seller, store, events, runs: () => runs };
}

/** A client that signs what a test says, by the offer of a shop. */
export class ChannelBuyer {
  readonly offer: PaymentRequired;
  readonly accepted: PaymentRequirements;
  readonly config: ChannelConfig;
  readonly session: Signer;
  readonly #payer: ChannelPayer;
  #deposits = 0;

  private constructor(
    offer: PaymentRequired,
    given: Pick<ChannelBuyer, 'accepted' | 'config' | 'session'>,
    by: ChannelPayer,
  ) {
    this.offer = offer;
    this.accepted = given.accepted;
    this.config = given.config;
    this.session = given.session;
    this.#payer = by;
  }

  static async of(
    { url, market }: Pick<ChannelShop, 'url' | 'market'>,
    change: Partial<ChannelConfig> = {},
  ): Promise<ChannelBuyer> {
    const offer = await offerAt(url);
    const [accepted] = offer.accepts;
    if (accepted === undefined) throw new Error('nothing is offered');
    const by = new ChannelPayer({ account: payer, algod: () => market.algod });
    const { config, seed } = await by.newChannel(accepted);
    return new ChannelBuyer(offer, { accepted, config: { ...config, ...change }, session: createSigner(seed) }, by);
  }

  get channelId(): string {
    return channelId(this.config);
  }

  voucher(amount: bigint, signer = this.session): Voucher {
    return signVoucher(signer, this.channelId, amount);
  }

  /** The headers of a request that opens the channel, or adds to it, and pays with a voucher. */
  async deposit(deposit: bigint, amount: bigint, paymentId?: string): Promise<Record<string, string>> {
    const earlier = this.#deposits++;
    const kind = earlier === 0 ? 'open' : 'top-up';
    const { paymentGroup } = await this.#payer.deposit(this.config, this.accepted, { kind, amount: deposit, earlier });
    const members = paymentGroup.map((bytes) => ({ bytes }));
    return this.headers(
      { type: 'deposit', voucher: this.voucher(amount), deposit: { amount: deposit, paymentGroup: members } },
      paymentId,
    );
  }

  /** The headers of a request that a voucher pays for. */
  pay(amount: bigint, paymentId?: string): Record<string, string> {
    return this.headers({ type: 'voucher', voucher: this.voucher(amount) }, paymentId);
  }

  /** The headers of a request that asks for the channel to be closed. */
  refund(signer = this.session): Record<string, string> {
    return this.headers({ type: 'refund', authorization: signClose(signer, this.channelId) });
  }

  headers(part: Part, paymentId?: string): Record<string, string> {
    const payload = encodeChannelPayload({ ...part, channelConfig: this.config });
    const extensions = paymentId === undefined ? undefined : withPaymentId(this.offer.extensions, paymentId);
    const payment: PaymentPayload = {
      x402Version: 2,
      accepted: this.accepted,
      payload,
      ...(extensions && { extensions }),
    };
    return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) };
  }
}

type Payloads = Parameters<typeof encodeChannelPayload>[0];
type Part = Payloads extends infer One ? (One extends unknown ? Omit<One, 'channelConfig'> : never) : never;

/** Asks with these headers. */
export function ask({ url }: Pick<ChannelShop, 'url'>, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { headers });
}

/** The statuses of answers, the lowest first. */
export function statuses(answers: readonly Response[]): number[] {
  return answers.map(({ status }) => status).toSorted((one, other) => one - other);
}
