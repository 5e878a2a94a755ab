import { parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { developmentAccounts } from '@avm402/devnode';

/** Sends what the sponsor can spend to the merchant, but for `left` µAlgo. */
export async function drainSponsor(algod: AlgodClient, left = 0n): Promise<void> {
  const { facilitator, merchant } = developmentAccounts();
  const sponsor = parseAccount(facilitator.privateKey);
  const { amount, minBalance } = await algod.account(sponsor.address);
  const { genesisHash, genesisId, lastRound } = await algod.params();
  const header = { genesisHash, genesisId, firstValid: lastRound || 1n, lastValid: lastRound + 100n, fee: 1000n };
  const parties = { sender: sponsor.address, receiver: merchant.address };
  const payment = { ...header, ...parties, type: 'pay', amount: amount - minBalance - 1000n - left } as const;
  await algod.sendRawTransaction(sponsor.signTransaction(payment));
}
