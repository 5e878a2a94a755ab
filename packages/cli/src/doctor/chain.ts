import type { AlgodClient } from '@avm402/algorand/algod';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { blockTime } from '@avm402/client/diagnosis';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { explain } from '../words/explain.ts';
import { inAlgo } from '../words/node-amount.ts';
import { ok, problem, skipped, warning, type Finding } from './finding.ts';

const MOST_BEHIND_MS = 60_000;
/** Enough µAlgo for the fees of a few payments. */
const SPONSOR_RESERVE = 100_000n;

/** Checks the buyer's node: whether it answers, belongs to the offer's network, and is in sync. */
export async function examineNode(algod: AlgodClient, offer: PaymentRequirements, now: number): Promise<Finding[]> {
  try {
    const { genesisHash, genesisId, lastRound } = await algod.params();
    const network = networkOfGenesis(genesisHash);
    if (!networksEqual(network, offer.network)) {
      const fix = 'Set ALGOD_URL to a node of the offered network.';
      return [problem('node', `the node at ${algod.url} belongs to ${network}, the offer to ${offer.network}`, fix)];
    }
    const time = isDevelopmentGenesisId(genesisId) ? now : await blockTime(algod, lastRound);
    const behind = time === undefined ? 0 : Math.abs(now - time);
    const found = ok('node', `${genesisId}, round ${lastRound}`);
    if (behind <= MOST_BEHIND_MS) return [found, ok('clock', 'this machine and the chain agree about the time')];
    const message = `the last block is ${Math.round(behind / 1000)} seconds away from this machine's clock`;
    return [found, warning('clock', message, 'Set the clock (NTP), or wait until the node has caught up.')];
  } catch (error) {
    return [problem('node', explain(error).message, 'Check ALGOD_URL and ALGOD_TOKEN, and that the node runs.')];
  }
}

/** Checks the asset, the receiver and the fee payer of an offer on chain. */
export async function examineOnChain(algod: AlgodClient, offer: PaymentRequirements): Promise<Finding[]> {
  const assetId = BigInt(offer.asset);
  const asset = await algod.asset(assetId);
  if (!asset)
    return [problem('asset', `asset ${assetId} does not exist on this network`, "Name the network's own asset id.")];
  const named = ok('asset', `${asset.unitName ?? asset.name ?? assetId}, ${asset.decimals} decimals`);
  return [named, await examineReceiver(algod, offer, assetId), await examineFeePayer(algod, offer)];
}

async function examineReceiver(algod: AlgodClient, { payTo }: PaymentRequirements, assetId: bigint): Promise<Finding> {
  const held = await algod.accountAsset(payTo, assetId);
  if (!held) {
    return problem(
      'payTo',
      `the receiver ${payTo} has not opted in to asset ${assetId}: every payment fails`,
      'Opt in with the receiver: avm402 optin.',
    );
  }
  if (held.isFrozen) return problem('payTo', 'the receiver is frozen for this asset', 'Use another receiver.');
  return ok('payTo', 'the receiver can receive the asset');
}

async function examineFeePayer(algod: AlgodClient, { extra }: PaymentRequirements): Promise<Finding> {
  const feePayer = extra['feePayer'];
  if (typeof feePayer !== 'string') return skipped('fee payer', 'not offered: the buyer pays the network fee');
  const { amount, minBalance } = await algod.account(feePayer);
  const left = amount - minBalance;
  if (left >= SPONSOR_RESERVE) return ok('fee payer', `has ${inAlgo(left)} ALGO for fees`);
  return problem(
    'fee payer',
    `the facilitator's account ${feePayer} has ${inAlgo(left > 0n ? left : 0n)} ALGO for fees`,
    'Fund it.',
  );
}
