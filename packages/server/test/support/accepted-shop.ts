import { type Account, parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient, type TransactionWallet } from '@avm402/avm/exact/client';
import { type Devnode, type DevnodeOptions, startDevnode } from '@avm402/devnode';
import {
  createFacilitator,
  createFacilitatorApp,
  type Facilitator,
  type FacilitatorOptions,
} from '@avm402/facilitator';
import express from 'express';
import { createSeller, type PaymentEvent, type SellerOptions } from '../../src/index.ts';
import { paymentBy } from './payments.ts';
import { afterwards, listen, offerAt } from './shop.ts';

const USDC = 10_458_941n;

/** A chain that makes blocks when told to, and a facilitator behind HTTP. */
export interface SlowMarket {
  readonly node: Devnode;
  readonly facilitator: Facilitator;
  readonly facilitatorUrl: string;
  /** Atomic units that the merchant has got since the start. */
  readonly received: () => bigint;
}

export async function openSlowMarket(
  options: { readonly node?: DevnodeOptions; readonly facilitator?: Partial<FacilitatorOptions> } = {},
): Promise<SlowMarket> {
  const node = await startDevnode({ port: 0, network: 'testnet', blocks: 'manual', ...options.node });
  afterwards(() => node.stop());
  const { facilitator, facilitatorUrl } = await serveFacilitator(node, options.facilitator);
  const { merchant } = node.accounts;
  const balance = (): bigint => node.balance(merchant.address).assets.get(USDC) ?? 0n;
  const before = balance();
  return { node, facilitator, facilitatorUrl, received: () => balance() - before };
}

/** A facilitator behind HTTP that has no record of any payment yet. */
export async function serveFacilitator(
  node: Devnode,
  options: Partial<FacilitatorOptions> = {},
): Promise<Pick<SlowMarket, 'facilitator' | 'facilitatorUrl'>> {
  const { facilitator: sponsor, merchant } = node.accounts;
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: { account: parseAccount(sponsor.privateKey), payTo: [merchant.address] },
    ...options,
  });
  const app = createFacilitatorApp(facilitator);
  const facilitatorUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  afterwards(async () => {
    facilitator.stopWaiting();
    await app.close();
    await facilitator.close();
  });
  return { facilitator, facilitatorUrl };
}

/** Makes blocks until something has come true that waits for them. */
export async function mineUntil<T>(node: Devnode, awaited: Promise<T>): Promise<T> {
  const mining = setInterval(() => void node.mine(), 30);
  try {
    return await awaited;
  } finally {
    clearInterval(mining);
  }
}

interface AcceptedPayment {
  readonly by?: Account | TransactionWallet;
  readonly paymentId?: string;
  readonly seconds?: number;
  /** Atomic units. */
  readonly amount?: string;
}

export interface AcceptedShop {
  readonly url: string;
  readonly runs: () => number;
  readonly events: readonly PaymentEvent[];
  /** The headers of a payment of a cent, or of another offered amount; with a payment id, if it has one. */
  readonly pay: (options?: AcceptedPayment) => Promise<Record<string, string>>;
}

/** Sells `GET /report` for a cent, and answers before the block; also for prices `beside` it, which wait for the block. */
export async function openAcceptedShop(
  { node, facilitatorUrl }: Pick<SlowMarket, 'node' | 'facilitatorUrl'>,
  {
    body = 'a report',
    beside = [],
    ...options
  }: Partial<SellerOptions> & { readonly body?: string; readonly beside?: readonly string[] } = {},
): Promise<AcceptedShop> {
  const events: PaymentEvent[] = [];
  const onEvent = (event: PaymentEvent): void => void events.push(event);
  const seller = createSeller({ facilitator: facilitatorUrl, atRisk: {}, onEvent, ...options });
  const { merchant, payer } = node.accounts;
  const terms = await seller.accepts({ price: '$0.01', payTo: merchant.address, schemes: ['exact'] });
  const early = terms.map((one) => ({
    ...one,
    maxTimeoutSeconds: 60,
    extra: { ...one.extra, paymentFlow: 'accepted' },
  }));
  const accepts = [...early, ...beside.flatMap((price) => terms.map((one) => ({ ...one, price })))];
  let runs = 0;
  const app = express().get('/report', seller.paid({ accepts }), (_request, response) => {
    runs++;
    response.send(body);
  });
  const url = `${await listen(app)}/report`;
  const algod = createAlgodClient({ url: node.url, token: node.token });
  return {
    url,
    runs: () => runs,
    events,
    async pay({ by = parseAccount(payer.privateKey), paymentId, seconds, amount = '10000' } = {}) {
      const client = new ExactAvmClient({ account: by, algod: () => algod });
      const offer = await offerAt(url);
      const wanted = { ...offer, accepts: offer.accepts.filter((one) => one.amount === amount) };
      return paymentBy(client, wanted, {
        ...(paymentId !== undefined && { paymentId }),
        ...(seconds !== undefined && { maxTimeoutSeconds: seconds }),
      });
    },
  };
}
