import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { Document } from '../node.ts';

/** What a round changed. */
export function stateDeltaDocument(round: bigint, chain: Chain): Document {
  const [oldest, latest] = [chain.oldestState, chain.latest.round];
  const kept = latest - oldest;
  const prefix = 'failed retrieving State Delta:';
  if (round <= oldest) {
    const problem = `${prefix} round ${round} not in deltas: dbRound ${oldest}, deltas ${kept}, offset ${round - oldest}`;
    throw new DevnodeError('not_found', problem, { status: 404 });
  }
  if (round > latest) {
    const problem = `${prefix} round ${round} too high: dbRound ${oldest}, deltas ${kept}`;
    throw new DevnodeError('not_found', problem, { status: 404 });
  }
  throw new DevnodeError('unsupported', 'state deltas: not there yet');
}
