import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import type { X402Error } from '@avm402/core/errors';
import { chainRefusal } from '../../exact/facilitator/chain-refusal.ts';
import type { Sponsor } from '../../exact/facilitator/facilitator-network.ts';

/** The coded error for a group of ours that the chain refuses, which several of our accounts may have to pay for. */
export function groupRefused(refusal: AlgodRefusal, payer: string, { account, accounts }: Sponsor): X402Error {
  const short = refusal.kind === 'insufficient_balance' ? refusal.account : undefined;
  const feePayer = short !== undefined && accounts.has(short) ? short : account.address;
  return chainRefusal(refusal, { payer, feePayer }, 'invalid_exact_avm_simulation_failed');
}
