import { type AlgodRefusal, algodRefusal, parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';
import { chainRefusal } from '../../exact/facilitator/chain-refusal.ts';
import type { Sponsor } from '../../exact/facilitator/facilitator-network.ts';
import { asTrouble } from '../../exact/facilitator/simulation.ts';

/** What a node says of a group whose sponsor has not signed: the round that took it, or why it is refused. */
export type GroupVerdict = { readonly lastRound: bigint } | { readonly refusal: AlgodRefusal };

/** Asks a node whether the group would succeed now. Errors: `algod_unreachable`. */
export async function simulateGroup(
  algod: Pick<AlgodClient, 'simulate'>,
  transactions: readonly Uint8Array[],
): Promise<GroupVerdict> {
  try {
    const { lastRound, failureMessage } = await algod.simulate({
      transactions: [...transactions],
      allowEmptySignatures: true,
    });
    return failureMessage === undefined ? { lastRound } : { refusal: parseAlgodRefusal(failureMessage) };
  } catch (error) {
    const refusal = algodRefusal(error);
    if (refusal === undefined) throw asTrouble(error);
    return { refusal };
  }
}

/** The coded error for a group of ours that the chain refuses, which several of our accounts may have to pay for. */
export function groupRefused(refusal: AlgodRefusal, payer: string, { account, accounts }: Sponsor): X402Error {
  const short = refusal.kind === 'insufficient_balance' ? refusal.account : undefined;
  const feePayer = short !== undefined && accounts.has(short) ? short : account.address;
  return chainRefusal(refusal, { payer, feePayer }, 'invalid_exact_avm_simulation_failed');
}
