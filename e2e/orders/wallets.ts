import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { sha512_256 } from '@avm402/algorand/hash';
import { TESTNET } from '@avm402/algorand/networks';
import { type CreatedPayment, ExactAvmClient } from '@avm402/avm/exact/client';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { createDevControls } from '@avm402/devnode';
import { USDC } from '@avm402/stack/balances';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { facilitatorRequest } from '../ask-facilitator.ts';
import { type Order, POOR_BALANCE, RICH_PAYERS, SELLERS } from './orders.ts';

/** µAlgo, and atomic units of USDC. */
const PLENTY = 1_000_000_000n;
/** µAlgo that a holder of one asset must keep. */
const MINIMUM_BALANCE = 200_000n;

/** Blocks come so much faster here than on the network that the node presents. */
const CLOCK_SPEED = 10;

/** Addresses of the sellers. */
export const merchants = Array.from({ length: SELLERS }, (_, index) => accountNamed(`merchant ${index}`).address);

/** Everybody who pays in a run. */
export interface Wallets {
  /** A signed payment for the order, valid from now on. */
  pay(order: Order, feePayer: string): Promise<OrderPayment>;
}

export interface OrderPayment {
  readonly created: CreatedPayment;
  readonly requirements: PaymentRequirements;
  readonly payer: string;
}

export interface WalletOptions {
  /** The node, which must present TestNet. */
  readonly nodeUrl: string;
  /** The payers' own algod. Default: the node. */
  readonly algodUrl?: string;
  readonly orders: readonly Order[];
}

/** Gives all payers of the orders their money. */
export async function openWallets({ nodeUrl, algodUrl = nodeUrl, orders }: WalletOptions): Promise<Wallets> {
  const rich = Array.from({ length: RICH_PAYERS }, (_, index) => accountNamed(`rich payer ${index}`));
  const poor = new Map(
    orders
      .filter(({ payer }) => payer.poor)
      .map(({ payer }) => [payer.index, accountNamed(`poor payer ${payer.index}`)]),
  );
  const controls = createDevControls({ url: nodeUrl, token: NODE_TOKEN });
  for (const { address } of rich) {
    await controls.fund(address, PLENTY);
    await controls.deal(address, USDC, PLENTY);
  }
  for (const address of merchants) await controls.deal(address, USDC, 1n);
  for (const { address } of poor.values()) {
    await controls.fund(address, MINIMUM_BALANCE);
    await controls.deal(address, USDC, POOR_BALANCE);
  }
  const algod = createAlgodClient({ url: algodUrl, token: NODE_TOKEN });
  const clients = new Map<string, ExactAvmClient>();
  return {
    async pay(order, feePayer) {
      const { poor: isPoor, index } = order.payer;
      const account = isPoor ? poor.get(index) : rich[index];
      if (account === undefined) throw new Error(`order ${order.number} has no payer`);
      const requirements = requirementsOf(order, merchants[order.seller] ?? '', feePayer);
      const client = clients.get(account.address) ?? clientOf(account, algod);
      clients.set(account.address, client);
      return { requirements, payer: account.address, created: await client.createPayment(requirements) };
    },
  };
}

/** The body of a settle request. */
export function settleBody({ created, requirements }: OrderPayment): string {
  return facilitatorRequest({ x402Version: 2, accepted: requirements, payload: created.payload }).body;
}

function clientOf(account: Account, algod: AlgodClient): ExactAvmClient {
  return new ExactAvmClient({ account, algod: () => algod, now: () => Date.now() * CLOCK_SPEED });
}

function requirementsOf(order: Order, payTo: string, feePayer: string): PaymentRequirements {
  return {
    scheme: 'exact',
    network: algorandNetwork(TESTNET.genesisHash),
    asset: String(USDC),
    amount: String(order.amount),
    payTo,
    maxTimeoutSeconds: order.maxTimeoutSeconds,
    extra: order.sponsored ? { feePayer } : {},
  };
}

function accountNamed(name: string): Account {
  return accountFromSeed(sha512_256(new TextEncoder().encode(`settlement chaos, ${name}`)));
}
