import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { parseAtomicAmount } from '@avm402/core/price';
import { command, invalidArguments, valueOf } from './command/command.ts';
import { algodOf, ENVIRONMENT_HELP, requireAccount } from './options/environment.ts';
import { networkOf } from './node/node-network.ts';
import { settleGroup } from './node/settle-group.ts';
import { inAlgo } from './words/node-amount.ts';

const help = `Usage: avm402 optin [options]

Opts the account of the environment in to an asset. Do it once for each asset, before the account receives it or pays
with it. It costs the network fee, and locks 0.1 ALGO in the account.

      --asset ID          the asset (default: the network's USDC)
      --from ADDRESS      the account, if it is rekeyed to the key

${ENVIRONMENT_HELP}`;

const WINDOW_ROUNDS = 30n;
/** µAlgo that an account must hold, and µAlgo that each asset adds to them. */
const ACCOUNT_MINIMUM = 100_000n;
const HOLDING_MINIMUM = 100_000n;

export const optin = command({
  summary: 'let the account hold an asset (default USDC)',
  help,
  options: { asset: { type: 'string' }, from: { type: 'string' } },
  positionals: [],
  async run({ asset, from }, { environment, interrupted }) {
    const named = asset === undefined ? undefined : valueOf('--asset', () => parseAtomicAmount(asset));
    const account = requireAccount(environment, from);
    const algod = algodOf(environment);
    const { usdc, network } = await networkOf(algod);
    const assetId = named ?? usdc;
    if (assetId === undefined) {
      throw invalidArguments(`which asset of ${network}? name it with --asset ID`);
    }
    if (await algod.accountAsset(account.address, assetId)) {
      return { lines: [`${account.address} has opted in to asset ${assetId} already`] };
    }
    await requirePossible(algod, account, { assetId, network });
    const txn = await optInOf(algod, account, assetId);
    const round = await settleGroup(algod, account.signTransaction(txn), txn, interrupted());
    return { lines: [`${account.address} opted in to asset ${assetId} in round ${round}`] };
  },
});

/** @throws X402Error `asset_not_found`, `account_unfunded` */
async function requirePossible(
  algod: AlgodClient,
  { address }: Account,
  { assetId, network }: { readonly assetId: bigint; readonly network: Network },
): Promise<void> {
  if ((await algod.asset(assetId)) === undefined) {
    throw new X402Error('asset_not_found', { message: `no asset ${assetId} on ${network}` });
  }
  const [{ amount, minBalance }, { minFee }] = await Promise.all([algod.account(address), algod.params()]);
  const own = minBalance > ACCOUNT_MINIMUM ? minBalance : ACCOUNT_MINIMUM;
  const needed = own + HOLDING_MINIMUM + minFee;
  if (amount >= needed) return;
  const message = `${address} holds ${inAlgo(amount)} ALGO and needs ${inAlgo(needed)}: send it ${inAlgo(needed - amount)} ALGO`;
  throw new X402Error('account_unfunded', { message });
}

async function optInOf(algod: AlgodClient, { address }: Account, assetId: bigint): Promise<AssetTransferTransaction> {
  const { minFee: fee, genesisId, genesisHash, lastRound: firstValid } = await algod.params();
  const lastValid = firstValid + WINDOW_ROUNDS;
  const terms = { fee, firstValid, lastValid, genesisId, genesisHash };
  return { type: 'axfer', sender: address, receiver: address, assetId, amount: 0n, ...terms };
}
