import { parseAccount } from '@avm402/algorand/account';
import { TESTNET } from '@avm402/algorand/networks';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { merchant, sponsor, type BenchNode } from './node.ts';
import type { Payer } from './payers.ts';

const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: TESTNET.usdcAssetId.toString(),
  amount: '10000',
  payTo: merchant.address,
  // The longest window that the protocol allows, near enough: with instant blocks a round passes with each payment.
  maxTimeoutSeconds: 2700,
  extra: { feePayer: sponsor.address },
};

/** Payments in one batch at most, so that the last one settles within the window of 1000 rounds. */
export const MOST_PAYMENTS = 600;

/** Bodies for a facilitator's `/verify` and `/settle`, each with a payment of its own, from all payers in turn. */
export async function paymentBodies(
  node: BenchNode,
  accounts: readonly Payer[],
  count: number,
): Promise<readonly string[]> {
  const clients = accounts.map(
    ({ privateKey }) => new ExactAvmClient({ account: parseAccount(privateKey), algod: () => node.algod }),
  );
  const bodies: string[] = [];
  for (let index = 0; index < count; index++) {
    const { payload } = (await clients[index % clients.length]?.createPayment(requirements)) ?? {};
    const resource = { url: 'http://127.0.0.1/weather', description: 'Weather', mimeType: 'application/json' };
    const paymentPayload = { x402Version: 2, resource, accepted: requirements, payload };
    bodies.push(JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements }));
  }
  return bodies;
}
