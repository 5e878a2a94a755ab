import { parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { developmentAccounts } from '@avm402/devnode';
import { SEND_FEE, sendFrom } from './send-from.ts';

/** Sends what the sponsor can spend to the merchant, but for `left` µAlgo. */
export async function drainSponsor(algod: AlgodClient, left = 0n): Promise<void> {
  const { facilitator, merchant } = developmentAccounts();
  const sponsor = parseAccount(facilitator.privateKey);
  const { amount, minBalance } = await algod.account(sponsor.address);
  const spendable = amount - minBalance - SEND_FEE - left;
  await sendFrom(algod, sponsor, { type: 'pay', receiver: merchant.address, amount: spendable });
}
