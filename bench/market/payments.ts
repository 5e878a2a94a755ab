import { parseAccount } from '@avm402/algorand/account';
import { TESTNET } from '@avm402/algorand/networks';
import { ExactAvmClient, type TransactionWallet } from '@avm402/avm/exact/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { Side } from '../measure/compare.ts';
import { postAll, type LoadResult } from '../measure/load.ts';
import type { BenchNode } from './node.ts';
import { merchant, payers, sponsor } from './accounts.ts';

/** The terms of every measured payment: a cent for the merchant, and the sponsor pays the fee. */
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
async function paymentBodies({ node, workers, count, payer }: Posting): Promise<readonly string[]> {
  const accounts = payer ? [payer] : payers.slice(0, workers).map(({ privateKey }) => parseAccount(privateKey));
  const clients = accounts.map((account) => new ExactAvmClient({ account, algod: () => node.algod }));
  const resource = { url: 'http://127.0.0.1/weather', description: 'Weather', mimeType: 'application/json' };
  const bodies: string[] = [];
  while (bodies.length < count) {
    const { payload } = (await clients[bodies.length % clients.length]?.createPayment(requirements)) ?? {};
    const paymentPayload = { x402Version: 2, resource, accepted: requirements, payload };
    bodies.push(JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements }));
  }
  return bodies;
}

export type Endpoint = 'verify' | 'settle';

export interface Posting {
  readonly node: BenchNode;
  readonly workers: number;
  /** Payments of a slice. */
  readonly count: number;
  /** The routes that they are posted to, in order: the last one is measured, those before prepare it. */
  readonly endpoints: readonly Endpoint[];
  /** The payer. Default: each worker's own, with its key. */
  readonly payer?: TransactionWallet;
}

/** A side that has a facilitator answer new payments. */
export function facilitatorSide(
  facilitator: { readonly url: string; readonly pid: number },
  what: Posting,
): Omit<Side, 'name'> {
  const { workers, endpoints } = what;
  let bodies: readonly string[] = [];
  const headers = { 'Content-Type': 'application/json' };
  const post = (endpoint: Endpoint | undefined): Promise<LoadResult> =>
    postAll({ url: `${facilitator.url}/${endpoint}`, workers, bodies, headers, check: checkVerdict });
  const prepare = async (): Promise<void> => {
    bodies = await paymentBodies(what);
    for (const endpoint of endpoints.slice(0, -1)) await post(endpoint);
  };
  return { pids: [facilitator.pid], prepare, run: () => post(endpoints.at(-1)) };
}

/** Throws unless a facilitator said yes. */
function checkVerdict(status: number, text: string): void {
  const { isValid, success, invalidReason, errorReason } = Object(JSON.parse(text));
  if (isValid === true || success === true) return;
  throw new Error(`HTTP ${status} ${String(invalidReason ?? errorReason ?? 'without a verdict')}`);
}
