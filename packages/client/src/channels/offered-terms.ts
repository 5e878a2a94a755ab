import { type ChannelTerms, parseChannelTerms } from '@avm402/avm/batch-settlement';
import { isX402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { Refusal } from '../budget/spend-policy.ts';

/** About two weeks on a public network: for so long a seller that vanishes keeps a deposit. */
const MOST_ROUNDS = 432_000n;

/** The terms of a channel; or why they are not taken. */
export function offeredTerms({ extra, network }: PaymentRequirements): ChannelTerms | Refusal {
  try {
    const terms = parseChannelTerms(extra);
    const reason =
      (!networksEqual(networkOfGenesis(terms.genesisHash), network) &&
        'the genesis hash of the channel is not that of its network') ||
      (terms.minRounds > MOST_ROUNDS && `a channel would have to stay open for ${terms.minRounds} rounds`);
    return reason === false ? terms : { kind: 'policy', reason };
  } catch (error) {
    if (isX402Error(error)) return { kind: 'policy', reason: error.message };
    throw error;
  }
}
