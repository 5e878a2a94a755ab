import { LOCALNET } from '@avm402/algorand/networks';
import type { AlgodClient } from '@avm402/algorand/algod';
import { formatMoney, withSeparators } from '@avm402/core/price';
import type { DevelopmentAccounts } from '@avm402/devnode';

/** USDC on the embedded node, and on TestNet. */
export const USDC = LOCALNET.usdcAssetId;

/** An account's balance of it, in atomic units. */
export async function usdcOf(algod: AlgodClient, address: string): Promise<bigint> {
  return (await algod.accountAsset(address, USDC))?.amount ?? 0n;
}

/** The holdings of payer and merchant, in atomic units of USDC. */
export interface Balances {
  readonly payer: bigint;
  readonly merchant: bigint;
}

export async function balancesOf(algod: AlgodClient, { payer, merchant }: DevelopmentAccounts): Promise<Balances> {
  return { payer: await usdcOf(algod, payer.address), merchant: await usdcOf(algod, merchant.address) };
}

/**
 * Prints the balances before and after.
 * @throws Error unless exactly `amount` went from the payer to the merchant
 */
export function showMoved(amount: bigint, before: Balances, after: Balances): void {
  console.log(`payer    ${usdc(before.payer)} → ${usdc(after.payer)}`);
  console.log(`merchant ${usdc(before.merchant)} → ${usdc(after.merchant)}`);
  if (before.payer - after.payer !== amount || after.merchant - before.merchant !== amount) {
    throw new Error(`the balances did not move by exactly ${usdc(amount)}`);
  }
}

/** Atomic units of USDC as money. */
export function usdc(amount: bigint): string {
  return withSeparators(formatMoney(amount, 6));
}
