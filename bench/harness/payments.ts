import { parseAccount } from '@avm402/algorand/account';
import { decodeMsgpack, encodeMsgpack } from '@avm402/algorand/msgpack';
import { TESTNET } from '@avm402/algorand/networks';
import { ExactAvmClient, type CreatedPayment } from '@avm402/avm/exact/client';
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
  const groups = await paymentGroups(node, accounts, count);
  const resource = { url: 'http://127.0.0.1/weather', description: 'Weather', mimeType: 'application/json' };
  return groups.map((payload) => {
    const paymentPayload = { x402Version: 2, resource, accepted: requirements, payload };
    return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements });
  });
}

/** Bodies for a node's `/v2/transactions/simulate`, as verifying a payment sends them: the fee payer has not signed. */
export async function simulateBodies(
  node: BenchNode,
  accounts: readonly Payer[],
  count: number,
): Promise<readonly Uint8Array[]> {
  const groups = await paymentGroups(node, accounts, count);
  return groups.map(({ paymentGroup: [feePayer = '', transfer = ''] }) => {
    const txns = [
      { txn: decodeMsgpack(Buffer.from(feePayer, 'base64')) },
      decodeMsgpack(Buffer.from(transfer, 'base64')),
    ];
    return encodeMsgpack({ 'allow-empty-signatures': true, 'txn-groups': [{ txns }] });
  });
}

async function paymentGroups(node: BenchNode, accounts: readonly Payer[], count: number) {
  const clients = accounts.map(
    ({ privateKey }) => new ExactAvmClient({ account: parseAccount(privateKey), algod: () => node.algod }),
  );
  const groups: CreatedPayment['payload'][] = [];
  for (let index = 0; index < count; index++) {
    const client = clients[index % clients.length];
    if (client !== undefined) groups.push((await client.createPayment(requirements)).payload);
  }
  return groups;
}
