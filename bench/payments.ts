import { type Account, parseAccount } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import { TESTNET } from '@avm402/algorand/networks';
import type { Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { BenchNode } from './node.ts';
import { merchant, payers, sponsor } from './roles.ts';

/** Of a sponsored payment. */
export const requirements = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: TESTNET.usdcAssetId.toString(),
  amount: '10000',
  payTo: merchant.address,
  // The longest window that the protocol allows, near enough: with instant blocks a round passes with each payment.
  maxTimeoutSeconds: 2700,
  extra: { feePayer: sponsor.address },
} as const;

/** Bodies for `/verify` and `/settle`, each with a payment of its own, by all workers' payers in turn; 600 at most. */
export async function paymentBodies(node: BenchNode, workers: number, count: number): Promise<readonly string[]> {
  const clients = payers
    .slice(0, workers)
    .map(({ privateKey }) => new ExactAvmClient({ account: parseAccount(privateKey), algod: () => node.algod }));
  const resource = { url: 'http://127.0.0.1/weather', description: 'Weather', mimeType: 'application/json' };
  const bodies: string[] = [];
  while (bodies.length < count) {
    const { payload } = (await clients[bodies.length % workers]?.createPayment(requirements)) ?? {};
    const paymentPayload = { x402Version: 2, resource, accepted: requirements, payload };
    bodies.push(JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements }));
  }
  return bodies;
}

/** What a facilitator answers must be a yes. */
export function mustBeGood(status: number, text: string): void {
  const { isValid, success, invalidReason, errorReason } = Object(JSON.parse(text));
  if (isValid === true || success === true) return;
  throw new Error(`HTTP ${status} ${String(invalidReason ?? errorReason ?? 'without a verdict')}`);
}

/** What authorizes a transaction in the name of an account. */
export type Sign = (account: Account, transaction: Transaction) => Uint8Array;

const byKey: Sign = (account, transaction) => account.signTransaction(transaction);

/** Signed groups of so many transfers, each different from all others. With instant blocks 900 are valid at most. */
export async function signedGroups(
  node: BenchNode,
  size: number,
  count: number,
  sign: Sign = byKey,
): Promise<readonly Uint8Array[]> {
  const { lastRound } = await node.algod.params();
  const accounts = payers.slice(0, 16).map(({ privateKey }) => parseAccount(privateKey));
  return Array.from({ length: count }, (_, index) => accounts[index % accounts.length]).map((account, index) => {
    if (account === undefined) throw new TypeError('no account');
    const members = Array.from({ length: size }, (_, member): Transaction => ({
      type: 'axfer',
      sender: account.address,
      fee: 1000n,
      firstValid: lastRound,
      lastValid: lastRound + 1000n,
      genesisId: TESTNET.genesisId,
      genesisHash: Buffer.from(TESTNET.genesisHash, 'base64'),
      note: Buffer.from(`${lastRound} ${index} ${member}`),
      receiver: merchant.address,
      assetId: TESTNET.usdcAssetId,
      amount: 1n,
    }));
    return Buffer.concat((size === 1 ? members : assignGroup(members)).map((txn) => sign(account, txn)));
  });
}
