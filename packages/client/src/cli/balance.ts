import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAtomicAmount } from '@avm402/core/price';
import { decimal } from './words/decimal.ts';
import { parseArguments, type Command } from './command.ts';
import { addressOf, algodOf, ENVIRONMENT_HELP } from './environment.ts';
import { EXIT } from './words/exit-code.ts';
import { networkOf } from './node-network.ts';

const help = `Usage: avm402 balance [ADDRESS] [options]

Shows what an account holds: ALGO, and the network's USDC. Without ADDRESS: the account of the environment.

      --asset ID          another asset than USDC
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`;

const OPTIONS = { asset: { type: 'string' }, json: { type: 'boolean' } } as const;
const ALGO_DECIMALS = 6;

/** What an account holds of one asset. */
interface Holding {
  readonly assetId: bigint;
  readonly name: string;
  readonly decimals: number;
  /** Atomic units; undefined if the account has not opted in. */
  readonly amount: bigint | undefined;
  readonly isFrozen: boolean;
}

export const balance: Command = {
  summary: 'show what an account holds',
  help,
  async run(args, terminal) {
    const { values, positionals } = parseArguments(args, OPTIONS, ['[ADDRESS]']);
    const address = addressOf(positionals[0], 'balance', terminal.environment);
    const algod = algodOf(terminal.environment);
    const { network, usdc } = await networkOf(algod);
    const assetId = values.asset === undefined ? usdc : parseAtomicAmount(values.asset);
    const { amount, minBalance, authAddress } = await algod.account(address);
    const holding = assetId === undefined ? undefined : await holdingOf(algod, address, assetId);
    if (values.json === true) {
      const shown = {
        address,
        network,
        microAlgos: amount,
        minBalance,
        authAddress,
        ...(holding && { asset: holding }),
      };
      terminal.printJson(shown);
      return EXIT.done;
    }
    terminal.print(`${address} on ${network}`);
    terminal.print(
      `  ALGO  ${decimal(amount, ALGO_DECIMALS)}, of which ${decimal(minBalance, ALGO_DECIMALS)} must stay`,
    );
    if (authAddress !== undefined) terminal.print(`  rekeyed to ${authAddress}`);
    if (holding) terminal.print(`  ${describeHolding(holding)}`);
    return EXIT.done;
  },
};

async function holdingOf(algod: AlgodClient, address: string, assetId: bigint): Promise<Holding> {
  const [asset, held] = await Promise.all([algod.asset(assetId), algod.accountAsset(address, assetId)]);
  const name = asset?.unitName ?? `asset ${assetId}`;
  return { assetId, name, decimals: asset?.decimals ?? 0, amount: held?.amount, isFrozen: held?.isFrozen ?? false };
}

function describeHolding({ assetId, name, decimals, amount, isFrozen }: Holding): string {
  if (amount === undefined) return `${name}  not opted in to asset ${assetId}; avm402 optin does that`;
  return `${name}  ${decimal(amount, decimals)} (asset ${assetId})${isFrozen ? ', frozen' : ''}`;
}
