import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { simulateGroup } from './ask-node.ts';
import { chainRefusal } from './chain-refusal.ts';
import type { Verdict } from './verdict.ts';
import type { CheckedPayment } from './verified-payment.ts';

/**
 * Asks a node whether the payment would succeed now.
 * @throws X402Error with the fine wire reason for a refusal, `algod_unreachable` when no node answers
 */
export async function simulate({ payer, network, exact }: CheckedPayment): Promise<Verdict> {
  const { feePayer, transfer } = exact;
  const unsigned = feePayer === undefined ? [] : [encodeSignedTransaction({ txn: feePayer.transaction })];
  const verdict = await simulateGroup(network.algod, [...unsigned, transfer.bytes]);
  if (!('refusal' in verdict)) return verdict;
  const parties = { payer, ...(feePayer !== undefined && { feePayer: feePayer.transaction.sender }) };
  throw chainRefusal(verdict.refusal, parties, 'invalid_exact_avm_simulation_failed');
}
