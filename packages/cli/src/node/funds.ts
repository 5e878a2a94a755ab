import type { AccountInformation, AssetHolding } from '@avm402/algorand/algod';
import type { ChosenOffer } from '@avm402/client';
import { algodOfNetworks, amountInWords, type AssetAmount, BY_CHANNEL } from '@avm402/client/diagnosis';
import { X402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import { networksOf } from '../options/environment.ts';
import type { Terminal } from '../command/terminal.ts';
import { inAlgo } from '../words/node-amount.ts';
import { networkOf } from './node-network.ts';

/** µAlgo that a payment costs if nobody sponsors it, while the network is not busy. */
const FEE = 1_000n;

/**
 * Looks once, before anything is signed, whether an account can pay an offer. What changes afterwards, the facilitator
 * finds.
 * @throws X402Error `account_not_opted_in`, `account_short_of_asset`, `account_unfunded`; what algod throws
 */
export async function requireFunds(address: string, offer: ChosenOffer, terminal: Terminal): Promise<void> {
  const { requirements, deposit, sponsored } = offer;
  // A voucher takes nothing out of the account.
  if (requirements.scheme === BY_CHANNEL && !deposit) return;
  const { network, asset } = requirements;
  const algod = algodOfNetworks(networksOf(terminal.environment))(network);
  // If the node belongs to another network, it is refused later, and another offer may be paid.
  if (!algod || !networksEqual((await networkOf(algod)).network, network)) return;
  const price = { network, asset, amount: deposit?.amount ?? BigInt(requirements.amount) };
  const lack =
    lackOfAsset(address, await algod.accountAsset(address, BigInt(asset)), price) ??
    (sponsored ? undefined : lackOfAlgo(await algod.account(address)));
  if (lack) throw lack;
}

/** Why an account does not hold enough of an asset; undefined if it does. */
export function lackOfAsset(
  address: string,
  held: AssetHolding | undefined,
  price: AssetAmount,
): X402Error | undefined {
  const { asset, amount } = price;
  if (!held) {
    const message = `${address} has not opted in to asset ${asset}`;
    const remedy = `Run "avm402 optin --asset ${asset}" once, then send the account the asset; on a development node "avm402 fund" does both.`;
    return new X402Error('account_not_opted_in', { message, remedy });
  }
  if (held.amount >= amount) return undefined;
  const has = amountInWords({ ...price, amount: held.amount });
  const message = `${address} holds ${has}, and the payment takes ${amountInWords(price)}`;
  return new X402Error('account_short_of_asset', { message });
}

/** Why an account can't pay the network fee; undefined if it can. */
export function lackOfAlgo({ address, amount, minBalance }: AccountInformation): X402Error | undefined {
  if (amount >= minBalance + FEE) return undefined;
  const missing = inAlgo(minBalance + FEE - amount);
  return new X402Error('account_unfunded', { message: `${address} lacks ${missing} ALGO for the network fee` });
}
