import { X402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import type { ChosenOffer } from '@avm402/client';
import { algodOfNetworks, amountInWords, BY_CHANNEL } from '@avm402/client/diagnosis';
import { networksOf } from '../environment.ts';
import { networkOf } from './node-network.ts';
import type { Terminal } from '../terminal.ts';
import { inAlgo } from '../words/show.ts';

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
  // Of another network, the node is refused later, and another offer may be paid.
  if (!algod || !networksEqual((await networkOf(algod)).network, network)) return;
  const held = await algod.accountAsset(address, BigInt(asset));
  if (!held) {
    throw new X402Error('account_not_opted_in', { message: `${address} has not opted in to asset ${asset}` });
  }
  const needed = deposit?.amount ?? BigInt(requirements.amount);
  if (held.amount < needed) {
    const [has, takes] = [held.amount, needed].map((amount) => amountInWords({ network, asset, amount }));
    const message = `${address} holds ${has}, and the payment takes ${takes}`;
    throw new X402Error('account_short_of_asset', { message });
  }
  if (sponsored) return;
  const { amount, minBalance } = await algod.account(address);
  if (amount >= minBalance + FEE) return;
  const missing = inAlgo(minBalance + FEE - amount);
  throw new X402Error('account_unfunded', { message: `${address} lacks ${missing} ALGO for the network fee` });
}
